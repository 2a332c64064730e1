// For the tests of this room: a file with one place changed, and what its reader then says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace worktop::format::testing {

// `text` with the first `what` replaced; it has to be there.
inline std::string with(std::string_view text, std::string_view what, std::string_view instead) {
  std::string changed(text);
  const auto at = changed.find(what);
  if (at == changed.npos) {
    ADD_FAILURE() << "no " << what << " in " << text;
    return changed;
  }
  return changed.replace(at, what.size(), instead);
}

// The error of what was read from `text`, which must not be accepted.
template <class T>
base::Error error_of(const base::Result<T>& read, std::string_view text) {
  EXPECT_FALSE(read.has_value()) << text;
  return read ? base::Error{} : read.error();
}

}  // namespace worktop::format::testing
