#include "format/machine_json.h"

#include <gtest/gtest.h>

#include <string>

#include "format/builtin.h"
#include "format/testing.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using machine::LinkId;
using machine::Tier;

constexpr std::string_view kToy = R"({"format":"worktop-machine","version":1,"name":"toy-1","title":"Toy 1",
 "usable_bytes":1000,"context_bytes":100,"margin":0.25,"memory_bandwidth_bytes_per_s":1e9,"memory_efficiency":0.5,
 "vector_flops_per_s":2e9,"attention_efficiency":0.75,"launch_ns":5,"compute_slowdown":0.125,
 "matmul":[{"dtype":"bf16","peak_flops_per_s":4e9,"efficiency":0.5,"measured":true,"source":"m"}],
 "links":[{"from":"device","to":"host","bandwidth_bytes_per_s":2e9,"both_ways_bytes_per_s":1e9,"latency_ns":7,
           "smallest_bytes":9,"source":"l"},
          {"from":"host","to":"device","bandwidth_bytes_per_s":3e9}],
 "host_bytes":64,"disk_bytes":null,"source":"s","notes":"n"})";

std::string with(std::string_view what, std::string_view instead) {
  return testing::with(kToy, what, instead);
}

base::Error error_of(std::string_view text) {
  return testing::error_of(read_machine_file(text), text);
}

TEST(MachineJson, ReadsEveryField) {
  const auto m = read_machine_file(kToy);
  ASSERT_TRUE(m) << m.error().what << " " << m.error().where;
  EXPECT_EQ(m->title, "Toy 1");
  EXPECT_EQ(m->default_budget(), Bytes{650});  // 1000 - 100 - 250
  EXPECT_EQ(m->memory_bandwidth.per_second, 1e9);
  EXPECT_EQ(m->matmul.at(0).peak.per_second, 4e9);
  EXPECT_TRUE(m->matmul.at(0).measured);
  ASSERT_EQ(m->links.size(), 2);
  EXPECT_EQ(m->links[LinkId{0}].to, Tier::host);
  EXPECT_EQ(m->links[LinkId{0}].latency, Nanoseconds{7});
  EXPECT_EQ(m->links[LinkId{0}].smallest, Bytes{9});
  EXPECT_EQ(m->links[LinkId{1}].both_ways.per_second, 3e9);  // as fast as alone
  EXPECT_EQ(m->host_bytes, Bytes{64});
  EXPECT_FALSE(m->disk_bytes);
}

TEST(MachineJson, WrittenAndReadAgainIsTheSame) {
  const auto m = read_machine_file(kToy);
  ASSERT_TRUE(m);
  const std::string text = write_machine_file(*m);
  const auto again = read_machine_file(text);
  ASSERT_TRUE(again) << again.error().what << " " << again.error().where;
  EXPECT_EQ(write_machine_file(*again), text);
  EXPECT_EQ(again->links[LinkId{0}].both_ways.per_second, 1e9);
  EXPECT_EQ(again->compute_slowdown, 0.125);
}

TEST(MachineJson, EveryBuiltInMachineReads) {
  int machines = 0;
  for (const BuiltinFile& file : builtin_files()) {
    if (file.folder != "machines") continue;
    const auto m = read_machine_file(file.text);
    ASSERT_TRUE(m) << file.name << ":" << m.error().where << ": " << m.error().what;
    EXPECT_EQ(m->name + ".json", file.name);
    ++machines;
  }
  EXPECT_EQ(machines, 36);
}

TEST(MachineJson, Refuses) {
  EXPECT_EQ(error_of(with("\"usable_bytes\":1000", "\"usable_bytes\":-1")).where, "2:17 usable_bytes");
  EXPECT_EQ(error_of(with("\"usable_bytes\":1000,", "")).what, "has no 'usable_bytes'");
  EXPECT_TRUE(
      read_machine_file(with("\"usable_bytes\":1000", "\"usable_bytes\":134")));  // 134 - 100 - 33 = 1
  EXPECT_EQ(error_of(with("\"usable_bytes\":1000", "\"usable_bytes\":133")).what,
            "context_bytes and margin leave nothing of usable_bytes");
  EXPECT_EQ(error_of(with("toy-1", "Toy 1")).hint, "write 'toy-1'");
  EXPECT_EQ(error_of(with("bf16", "bf61")).hint, "did you mean 'bf16'?");
  EXPECT_EQ(error_of(with("\"to\":\"device\"", "\"to\":\"host\"")).what, "a link joins two different tiers");
  EXPECT_EQ(error_of(with("\"host\",\"to\":\"device\"", "\"device\",\"to\":\"host\"")).what,
            "a second link from device to host");
  EXPECT_EQ(error_of(with("\"both_ways_bytes_per_s\":1e9", "\"both_ways_bytes_per_s\":3e9")).where,
            "5:92 links[0].both_ways_bytes_per_s");
  EXPECT_EQ(error_of(with("\"bandwidth_bytes_per_s\":3e9", "\"bandwidth_bytes_per_s\":0")).code,
            base::ErrorCode::input);
  EXPECT_EQ(error_of(with("\"margin\":0.25", "\"margin\":1")).code, base::ErrorCode::input);
  EXPECT_EQ(error_of(with("\"efficiency\":0.5,\"me", "\"efficiency\":1.5,\"me")).where,
            "4:64 matmul[0].efficiency");
  EXPECT_EQ(error_of(with("\"launch_ns\":5", "\"lunch_ns\":5")).hint, "did you mean 'launch_ns'?");
  EXPECT_EQ(error_of(with("\"version\":1", "\"version\":9")).hint, "this program reads version 1");
}

}  // namespace
}  // namespace worktop::format
