// What `worktop check --json` measured, as points beside a frontier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "format/json_cursor.h"

namespace worktop::format {

// One kind of step. Its bar runs from the 5th to the 95th of a hundred rounds.
struct Measured {
  std::string name;
  base::Bytes peak;
  std::optional<base::Nanoseconds> step_ns, step_low_ns, step_high_ns;
  std::optional<base::Bytes> promised_peak;           // of the planned step
  std::optional<base::Nanoseconds> promised_step_ns;  //
  std::optional<base::Bytes> moved;                   // to lower tiers and back
  std::optional<bool> same_gradients;                 // bit for bit as the plain step; none: not compared
  std::string remark;
};

struct Measurements {
  std::string model;
  bool ok = false;
  std::vector<Measured> rows;  // without the promise, which stands beside the planned step
};

// Whether an object without a "format" is such an answer.
[[nodiscard]] bool looks_like_measurements(const JsonObject& file);
[[nodiscard]] base::Result<Measurements> read_measurements(const JsonObject& file);

}  // namespace worktop::format
