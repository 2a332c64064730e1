#include "format/measurements.h"

#include <algorithm>
#include <utility>

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Result;

constexpr std::int64_t kMost = std::int64_t{1} << 53;

// Extras may be negative: a run can be faster than the plain one.
Result<std::optional<Nanoseconds>> read_extra(const JsonObject& row, std::string_view key) {
  const auto at = row.find_set(key);
  if (!at) return std::nullopt;
  WORKTOP_TRY(const std::int64_t ns, at->integer(-kMost, kMost));
  return Nanoseconds{ns};
}

template <class Q>
Result<std::optional<Q>> read_amount(const JsonObject& row, std::string_view key) {
  const auto at = row.find_set(key);
  if (!at) return std::nullopt;
  WORKTOP_TRY(const Q amount, at->quantity<Q>());
  return amount;
}

struct Row {
  Measured measured;
  std::optional<Nanoseconds> low, high;  // over the plain step
};

Result<Row> read_row(const JsonObject& object) {
  Row row;
  WORKTOP_TRY(row.measured.name, object.string("name"));
  WORKTOP_TRY(row.measured.peak, object.quantity<Bytes>("peak_bytes"));
  WORKTOP_TRY(row.measured.step_ns, read_amount<Nanoseconds>(object, "step_ns"));
  WORKTOP_TRY(row.low, read_extra(object, "extra_low_ns"));
  WORKTOP_TRY(row.high, read_extra(object, "extra_high_ns"));
  WORKTOP_TRY(row.measured.moved, read_amount<Bytes>(object, "moved_bytes"));
  WORKTOP_TRY(row.measured.remark, object.string_or("remark", ""));
  if (const auto differs = object.find_set("differs")) {
    WORKTOP_TRY(const JsonArray names, differs->array());
    row.measured.same_gradients = names.count() == 0;
  }
  return row;
}

std::optional<Nanoseconds> over_plain(const Row* plain, std::optional<Nanoseconds> extra) {
  if (!plain || !plain->measured.step_ns || !extra) return std::nullopt;
  return *plain->measured.step_ns + *extra;
}

}  // namespace

bool looks_like_measurements(const JsonObject& file) {
  return file.find("ok") && file.find("rows") && file.find("pairs") && file.find("trouble");
}

Result<Measurements> read_measurements(const JsonObject& file) {
  Measurements all;
  WORKTOP_TRY(all.ok, file.boolean("ok"));
  WORKTOP_TRY(all.model, file.string("model"));
  WORKTOP_TRY(const JsonArray entries, file.array("rows"));
  std::vector<Row> rows;
  for (const JsonCursor entry : entries) {
    WORKTOP_TRY(const JsonObject object, entry.object());
    WORKTOP_TRY(Row row, read_row(object));
    rows.push_back(std::move(row));
  }
  const auto named = [&](std::string_view name) {
    const auto row = std::ranges::find_if(rows, [&](const Row& r) { return r.measured.name == name; });
    return row == rows.end() ? nullptr : &*row;
  };
  const Row* plain = named("plain");
  const Row* promised = named("promised");
  for (const Row& row : rows) {
    if (&row == promised) continue;
    Measured measured = row.measured;
    measured.step_low_ns = over_plain(plain, row.low);
    measured.step_high_ns = over_plain(plain, row.high);
    if (promised && measured.name == "planned") {
      measured.promised_peak = promised->measured.peak;
      measured.promised_step_ns = promised->measured.step_ns;
    }
    all.rows.push_back(std::move(measured));
  }
  return all;
}

}  // namespace worktop::format
