#include "format/machine_json.h"

#include <fmt/format.h>

#include "base/names.h"
#include "format/json_tables.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Result;
using base::Status;
using machine::Link;
using machine::LinkId;
using machine::Machine;
using machine::MatmulRate;

constexpr std::int64_t kVersion = 1;
constexpr double kFastest = 1e21;          // bytes or flops a second
constexpr double kSlowest = 1;             // anything less is a mistake in the unit
constexpr double kBelowOne = 1 - 0x1p-53;  // the largest double below 1
constexpr double kAboveZero = 1e-6;

template <class RateT>
Result<RateT> read_rate(const JsonObject& object, std::string_view key) {
  WORKTOP_TRY(const double per_second, object.number(key, kSlowest, kFastest));
  return RateT{per_second};
}

Result<MatmulRate> read_matmul(const JsonObject& object) {
  WORKTOP_CHECK(object.only({"dtype", "peak_flops_per_s", "efficiency", "measured", "source"}));
  MatmulRate rate;
  WORKTOP_TRY(const JsonCursor dtype, object.at("dtype"));
  WORKTOP_TRY(rate.dtype, value_in(kDtypes, dtype));
  WORKTOP_TRY(rate.peak, read_rate<base::FlopsPerSecond>(object, "peak_flops_per_s"));
  WORKTOP_TRY(rate.efficiency, object.number_or("efficiency", 1.0, kAboveZero, 1.0));
  WORKTOP_TRY(rate.measured, object.boolean_or("measured", false));
  WORKTOP_TRY(rate.source, object.string_or("source", ""));
  return rate;
}

Result<Link> read_link(const JsonObject& object) {
  WORKTOP_CHECK(object.only({"from", "to", "bandwidth_bytes_per_s", "both_ways_bytes_per_s", "latency_ns",
                             "smallest_bytes", "source"}));
  Link link;
  WORKTOP_TRY(const JsonCursor from, object.at("from"));
  WORKTOP_TRY(link.from, value_in(kTiers, from));
  WORKTOP_TRY(const JsonCursor to, object.at("to"));
  WORKTOP_TRY(link.to, value_in(kTiers, to));
  if (link.from == link.to) return to.fail("a link joins two different tiers");
  WORKTOP_TRY(link.bandwidth, read_rate<base::BytesPerSecond>(object, "bandwidth_bytes_per_s"));
  const double alone = link.bandwidth.per_second;
  WORKTOP_TRY(link.both_ways.per_second, object.number_or("both_ways_bytes_per_s", alone, kSlowest, alone));
  WORKTOP_TRY(link.latency, object.quantity_or("latency_ns", Nanoseconds{0}));
  WORKTOP_TRY(link.smallest, object.quantity_or("smallest_bytes", Bytes{0}));
  WORKTOP_TRY(link.source, object.string_or("source", ""));
  return link;
}

Status read_lists(const JsonObject& object, Machine& machine) {
  if (const auto at = object.find_set("matmul")) {
    WORKTOP_TRY(const JsonArray list, at->array());
    for (const JsonCursor item : list) {
      WORKTOP_TRY(const JsonObject row, item.object());
      WORKTOP_TRY(MatmulRate rate, read_matmul(row));
      for (const MatmulRate& other : machine.matmul)
        if (other.dtype == rate.dtype)
          return item.fail(fmt::format("a second rate of {}", name_of(rate.dtype)));
      machine.matmul.push_back(std::move(rate));
    }
  }
  if (const auto at = object.find_set("links")) {
    WORKTOP_TRY(const JsonArray list, at->array());
    for (const JsonCursor item : list) {
      WORKTOP_TRY(const JsonObject row, item.object());
      WORKTOP_TRY(Link link, read_link(row));
      if (machine.link(link.from, link.to).exists())
        return item.fail(fmt::format("a second link from {} to {}", name_of(link.from), name_of(link.to)));
      machine.links.push_back(std::move(link));
    }
  }
  return {};
}

Status read_texts(const JsonObject& object, Machine& machine) {
  WORKTOP_TRY(const JsonCursor name, object.at("name"));
  WORKTOP_TRY(machine.name, object.string("name"));
  if (machine.name.empty() || machine.name != base::slug(machine.name))
    return name.fail("is not a name of lower-case letters, digits, dots and hyphens",
                     fmt::format("write '{}'", base::slug(machine.name)));
  WORKTOP_TRY(machine.title, object.string_or("title", machine.name));
  WORKTOP_TRY(machine.vendor, object.string_or("vendor", ""));
  WORKTOP_TRY(machine.kind, object.string_or("kind", "gpu"));
  WORKTOP_TRY(machine.usable_source, object.string_or("usable_source", ""));
  WORKTOP_TRY(machine.source, object.string_or("source", ""));
  WORKTOP_TRY(machine.notes, object.string_or("notes", ""));
  return {};
}

Status read_numbers(const JsonObject& object, Machine& machine) {
  WORKTOP_TRY(machine.usable_bytes, object.quantity<Bytes>("usable_bytes"));
  WORKTOP_TRY(machine.context_bytes, object.quantity_or("context_bytes", Bytes{0}));
  WORKTOP_TRY(machine.margin, object.number_or("margin", 0.0, 0.0, kBelowOne));
  if (machine.default_budget() <= Bytes{0})
    return object.cursor().fail("context_bytes and margin leave nothing of usable_bytes");
  WORKTOP_TRY(machine.memory_bandwidth,
              read_rate<base::BytesPerSecond>(object, "memory_bandwidth_bytes_per_s"));
  WORKTOP_TRY(machine.memory_efficiency, object.number_or("memory_efficiency", 1.0, kAboveZero, 1.0));
  WORKTOP_TRY(machine.vector_rate, read_rate<base::FlopsPerSecond>(object, "vector_flops_per_s"));
  WORKTOP_TRY(machine.attention_efficiency, object.number_or("attention_efficiency", 1.0, kAboveZero, 1.0));
  WORKTOP_TRY(machine.launch, object.quantity_or("launch_ns", Nanoseconds{0}));
  WORKTOP_TRY(machine.compute_slowdown, object.number_or("compute_slowdown", 0.0, 0.0, kBelowOne));
  if (const auto at = object.find_set("host_bytes")) {
    WORKTOP_TRY(machine.host_bytes, at->quantity<Bytes>());
  }
  if (const auto at = object.find_set("disk_bytes")) {
    WORKTOP_TRY(machine.disk_bytes, at->quantity<Bytes>());
  }
  return {};
}

}  // namespace

Result<Machine> read_machine(const JsonObject& object) {
  WORKTOP_CHECK(object.is_format(kMachineFormat, kVersion));
  WORKTOP_CHECK(object.only({"format",
                             "version",
                             "name",
                             "title",
                             "vendor",
                             "kind",
                             "usable_bytes",
                             "usable_source",
                             "context_bytes",
                             "margin",
                             "memory_bandwidth_bytes_per_s",
                             "memory_efficiency",
                             "vector_flops_per_s",
                             "attention_efficiency",
                             "launch_ns",
                             "compute_slowdown",
                             "matmul",
                             "links",
                             "host_bytes",
                             "disk_bytes",
                             "source",
                             "notes"}));
  Machine machine;
  WORKTOP_CHECK(read_texts(object, machine));
  WORKTOP_CHECK(read_numbers(object, machine));
  WORKTOP_CHECK(read_lists(object, machine));
  return machine;
}

Result<Machine> read_machine_file(std::string_view text) {
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject object, document.root().object());
  return read_machine(object);
}

void write_machine(JsonWriter& w, const Machine& m) {
  w.begin_object().member("format", kMachineFormat).member("version", kVersion);
  w.member("name", m.name).member("title", m.title).member("vendor", m.vendor).member("kind", m.kind);
  w.member("usable_bytes", m.usable_bytes).member("usable_source", m.usable_source);
  w.member("context_bytes", m.context_bytes).member("margin", m.margin);
  w.member("memory_bandwidth_bytes_per_s", m.memory_bandwidth.per_second);
  w.member("memory_efficiency", m.memory_efficiency).member("vector_flops_per_s", m.vector_rate.per_second);
  w.member("attention_efficiency", m.attention_efficiency).member("launch_ns", m.launch);
  w.member("compute_slowdown", m.compute_slowdown);
  w.key("matmul").begin_array();
  for (const MatmulRate& rate : m.matmul) {
    w.begin_object_row().member("dtype", name_in(kDtypes, rate.dtype));
    w.member("peak_flops_per_s", rate.peak.per_second).member("efficiency", rate.efficiency);
    w.member("measured", rate.measured).member("source", rate.source).end();
  }
  w.end().key("links").begin_array();
  for (const Link& link : m.links) {
    w.begin_object_row().member("from", name_in(kTiers, link.from)).member("to", name_in(kTiers, link.to));
    w.member("bandwidth_bytes_per_s", link.bandwidth.per_second);
    w.member("both_ways_bytes_per_s", link.both_ways.per_second).member("latency_ns", link.latency);
    w.member("smallest_bytes", link.smallest).member("source", link.source).end();
  }
  w.end().member("host_bytes", m.host_bytes).member("disk_bytes", m.disk_bytes);
  w.member("source", m.source).member("notes", m.notes).end();
}

std::string write_machine_file(const Machine& machine) {
  JsonWriter w(2);
  write_machine(w, machine);
  return std::move(w).take();
}

}  // namespace worktop::format
