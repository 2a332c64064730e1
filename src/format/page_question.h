// What the page asks: apps/page/contract.ts has the JSON, type Question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/ledger_truth.h"
#include "advisor/trade_off.h"
#include "format/json_cursor.h"

namespace worktop::format {

enum class Ask : std::uint8_t {
  lists,
  open,
  ledger,
  frontier,
  plan,
  timeline,
  activations,
  ratio,
  plan_file,
  trace
};
[[nodiscard]] base::Result<Ask> read_ask(const JsonObject& question);

// {"ask": "open", "id", "name", "text"}
struct OpenRequest {
  std::string id, name, text;
};
[[nodiscard]] base::Result<OpenRequest> read_open(const JsonObject& question);

struct LedgerRequest {
  cost::LedgerQuestion question;  // without its kitchen
  std::optional<base::Nanoseconds> time_limit;
  bool map = true, curve = true;
};
[[nodiscard]] base::Result<LedgerRequest> read_ledger_request(const JsonObject& question);

// Everything that a question about plans may have; each has what it needs.
struct PlanRequest {
  advisor::Question question;
  advisor::Which which;
  advisor::Parameters parameters;
  std::optional<std::vector<std::string>> compete;
  std::int32_t points = 20;
  std::int32_t columns = 1000;
  std::int32_t most = 1000;
  double threshold = 2;
  std::vector<std::string> unfold;
  std::vector<std::string> measured;  // ids of opened measurements
};
[[nodiscard]] base::Result<PlanRequest> read_plan_request(const JsonObject& question);

// A value again as JSON, without spaces: equal questions have equal text.
[[nodiscard]] std::string canonical(const JsonCursor& value);

}  // namespace worktop::format
