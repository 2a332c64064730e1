// What the facade promises, on this machine.
#include "runtime/store.h"

#include <gtest/gtest.h>

#include <vector>

namespace worktop::runtime {
namespace {

TEST(Store, ThereAndBack) {
  auto store = Store::open({.host = HostOptions{}});
  ASSERT_TRUE(store);
  const std::vector<char> out(1000, 'x');
  ASSERT_TRUE((*store)->copy_out(Key{7}, out.data(), Bytes{1000}, Tier::host));
  ASSERT_TRUE((*store)->release(Key{7}));
  std::vector<char> in(1000);
  ASSERT_TRUE((*store)->copy_in(Key{7}, in.data(), Bytes{1000}, Tier::host));
  ASSERT_TRUE((*store)->arrive(Key{7}));
  EXPECT_EQ(in, out);
  (*store)->drop(Key{7}, Tier::host);
  EXPECT_FALSE((*store)->has(Key{7}, Tier::host));
}

}  // namespace
}  // namespace worktop::runtime
