#include "format/page_subject.h"

#include <algorithm>
#include <utility>

#include "format/builtin.h"
#include "format/json_names.h"
#include "format/machine_catalog.h"
#include "format/model_index.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Result;

constexpr double kLargest = cost::kLargestQuantity;
constexpr double kGbInBytes = 1e9;
constexpr double kSlowest = 1e-6, kFastest = 1e9;  // GB/s of a link
constexpr std::int64_t kMostLayers = 1000;         // of a model
constexpr double kMostScale = 1000;

Result<std::optional<double>> number_if_set(const JsonObject& object, std::string_view key, double least,
                                            double most) {
  const auto at = object.find_set(key);
  if (!at) return std::nullopt;
  WORKTOP_TRY(const double number, at->number(least, most));
  return number;
}

// ---- kitchens

Result<advisor::Corridor> read_corridor(const JsonObject& object) {
  advisor::Corridor corridor;
  WORKTOP_TRY(corridor.gb_per_s, object.number_or("bandwidth_gb_per_s", 50, 0, kLargest));
  WORKTOP_TRY(corridor.host, object.boolean_or("host", false));
  WORKTOP_TRY(corridor.disk, object.boolean_or("disk", false));
  return corridor;
}

// a, or output elements x batch x bytes of the precision.
Result<double> read_activation(const JsonObject& object) {
  if (const auto whole = object.find_set("activation_gb")) return whole->number(0, kLargest);
  double product = 1;
  for (const char* key : {"elements", "batch", "element_bytes"}) {
    WORKTOP_TRY(const double factor, object.number(key, 0, kLargest));
    product *= factor;
  }
  return product / kGbInBytes;
}

Result<PageSubject> read_kitchen(const JsonObject& object) {
  WORKTOP_CHECK(object.only({"kind", "layers", "activation_gb", "elements", "batch", "element_bytes",
                             "base_gb", "forward_s", "bandwidth_gb_per_s", "host", "disk"}));
  cost::Kitchen kitchen;
  WORKTOP_TRY(kitchen.layers, object.integer("layers", 1, cost::kMostLayers));
  WORKTOP_TRY(kitchen.activation_gb, read_activation(object));
  WORKTOP_TRY(kitchen.base_gb, object.number("base_gb", 0, kLargest));
  WORKTOP_TRY(kitchen.forward_s, object.number("forward_s", 0, kLargest));
  WORKTOP_TRY(const advisor::Corridor corridor, read_corridor(object));
  kitchen.bandwidth_gb_per_s = corridor.gb_per_s;
  PageSubject read{.subject = std::nullopt, .why_not = {}, .kitchen = kitchen, .plan = std::nullopt};
  auto played = advisor::kitchen(kitchen, corridor);
  if (played)
    read.subject = *std::move(played);
  else
    read.why_not = played.error().what;
  return read;
}

Result<GraphFile> builtin_scenario(std::string_view name) {
  for (const BuiltinFile& file : builtin_files())
    if (file.folder == "scenarios" && file.name == name) return read_graph_file(file.text);
  return base::fail(base::ErrorCode::input, "a scenario is missing from the program", std::string(name),
                    "list it in data/index.txt");
}

template <class Q>
Q scaled(Q amount, double by) {
  return Q{static_cast<std::int64_t>(std::min(amount.as_double() * by, Q::largest().as_double()) + 0.5)};
}

Result<PageSubject> read_mixed_kitchen(const JsonObject& object) {
  WORKTOP_CHECK(
      object.only({"kind", "dishes", "size", "effort", "base_gb", "bandwidth_gb_per_s", "host", "disk"}));
  WORKTOP_TRY(const GraphFile file, builtin_scenario("mixed-kitchen.json"));
  std::vector<advisor::Dish> dishes = advisor::dishes_of(file.graph, *file.durations);
  const auto all = static_cast<std::int64_t>(dishes.size());
  WORKTOP_TRY(const std::int64_t count, object.integer_or("dishes", all, 1, all));
  WORKTOP_TRY(const double size, object.number_or("size", 1, 1 / kMostScale, kMostScale));
  WORKTOP_TRY(const double effort, object.number_or("effort", 1, 1 / kMostScale, kMostScale));
  WORKTOP_TRY(const double base_gb, object.number_or("base_gb", 12, 0, 1e6));
  WORKTOP_TRY(const advisor::Corridor corridor, read_corridor(object));
  dishes.resize(static_cast<std::size_t>(count));
  for (advisor::Dish& dish : dishes) {
    dish.bytes = scaled(dish.bytes, size);
    dish.cook = scaled(dish.cook, effort);
    dish.taste = scaled(dish.taste, effort);
  }
  PageSubject read;
  WORKTOP_TRY(read.subject, advisor::mixed_kitchen(dishes, scaled(base::kGB, base_gb), corridor));
  return read;
}

// ---- models and machines

Result<model::Settings> read_settings(const JsonObject& owner, model::Decoder& decoder) {
  model::Settings settings;
  if (decoder.position == model::Position::learned)
    settings.sequence = std::min(settings.sequence, decoder.max_positions);
  const auto at = owner.find_set("settings");
  if (!at) return settings;
  WORKTOP_TRY(const JsonObject given, at->object());
  WORKTOP_CHECK(given.only({"layers", "batch", "sequence", "accumulation", "precision", "optimizer",
                            "attention", "cross_entropy", "lora_rank"}));
  WORKTOP_TRY(decoder.layers, given.integer_or("layers", decoder.layers, 1, kMostLayers));
  WORKTOP_TRY(settings.batch, given.integer_or("batch", settings.batch, 1, model::kLargestCount));
  WORKTOP_TRY(settings.sequence, given.integer_or("sequence", settings.sequence, 1, model::kLargestCount));
  WORKTOP_TRY(settings.accumulation, given.integer_or("accumulation", 1, 1, model::kLargestCount));
  const auto choice = [&]<class E>(std::string_view key, E& value) -> base::Status {
    const auto text_at = given.find_set(key);
    if (!text_at) return {};
    WORKTOP_TRY(const std::string_view text, text_at->string());
    WORKTOP_TRY(value, model::parse<E>(text));
    return {};
  };
  WORKTOP_CHECK(choice("precision", settings.precision));
  WORKTOP_CHECK(choice("optimizer", settings.optimizer));
  WORKTOP_CHECK(choice("attention", settings.attention));
  WORKTOP_CHECK(choice("cross_entropy", settings.cross_entropy));
  if (const auto rank = given.find_set("lora_rank")) {
    WORKTOP_TRY(const std::int64_t whole, rank->integer(1, model::kLargestCount));
    settings.lora = model::Lora{.rank = whole};
  }
  return settings;
}

void set_rate(machine::Machine& machine, machine::Tier from, machine::Tier to,
              std::optional<double> gb_per_s) {
  const machine::LinkId id = machine.link(from, to);
  if (!gb_per_s || !id.exists()) return;
  machine::Link& link = machine.links[id];
  const double share = link.both_ways.per_second / link.bandwidth.per_second;
  link.bandwidth.per_second = *gb_per_s * kGbInBytes;
  link.both_ways.per_second = link.bandwidth.per_second * share;
}

// Null means that the tier is absent; what is left out stays as it is.
base::Status set_bytes(const JsonObject& tiers, std::string_view key, std::optional<Bytes>& bytes) {
  const auto at = tiers.find(key);
  if (!at) return {};
  bytes.reset();
  if (at->is_null()) return {};
  WORKTOP_TRY(bytes, at->quantity<Bytes>());
  return {};
}

base::Status read_tiers(const JsonObject& owner, machine::Machine& machine) {
  const auto at = owner.find_set("tiers");
  if (!at) return {};
  WORKTOP_TRY(const JsonObject tiers, at->object());
  WORKTOP_CHECK(tiers.only({"host_bytes", "disk_bytes", "link_out_gb_per_s", "link_in_gb_per_s"}));
  WORKTOP_CHECK(set_bytes(tiers, "host_bytes", machine.host_bytes));
  WORKTOP_CHECK(set_bytes(tiers, "disk_bytes", machine.disk_bytes));
  WORKTOP_TRY(const auto out, number_if_set(tiers, "link_out_gb_per_s", kSlowest, kFastest));
  WORKTOP_TRY(const auto in, number_if_set(tiers, "link_in_gb_per_s", kSlowest, kFastest));
  set_rate(machine, machine::Tier::device, machine::Tier::host, out);
  set_rate(machine, machine::Tier::host, machine::Tier::device, in);
  return {};
}

Result<PageSubject> on_machine(const JsonObject& object, model::Decoder decoder, machine::Machine machine) {
  WORKTOP_TRY(const model::Settings settings, read_settings(object, decoder));
  WORKTOP_CHECK(read_tiers(object, machine));
  PageSubject read;
  WORKTOP_TRY(read.subject, advisor::subject(decoder, settings, machine));
  return read;
}

Result<PageSubject> read_model(const JsonObject& object) {
  WORKTOP_CHECK(object.only({"kind", "model", "machine", "settings", "tiers"}));
  WORKTOP_TRY(const std::string model, object.string("model"));
  WORKTOP_TRY(const std::string name, object.string("machine"));
  WORKTOP_TRY(model::Decoder decoder, builtin_decoder(model));
  WORKTOP_TRY(machine::Machine machine, find_machine(name));
  return on_machine(object, std::move(decoder), std::move(machine));
}

// The file's own machine, a known one by name, or an opened machine file by its id.
Result<machine::Machine> machine_for(const JsonObject& object, const OpenedFile& file,
                                     const OpenedFiles& files) {
  const auto at = object.find_set("machine");
  if (!at && file.machine) return *file.machine;
  if (!at)
    return base::fail(base::ErrorCode::usage, "this file has no machine", "machine",
                      "choose the machine that it is for");
  WORKTOP_TRY(const std::string_view name, at->string());
  if (const OpenedFile* other = files.find(name); other && other->machine) return *other->machine;
  return find_machine(name);
}

Result<PageSubject> read_file(const JsonObject& object, const OpenedFiles& files) {
  WORKTOP_CHECK(object.only({"kind", "file", "machine", "settings", "tiers"}));
  WORKTOP_TRY(const std::string id, object.string("file"));
  const OpenedFile* file = files.find(id);
  if (!file) return base::fail(base::ErrorCode::environment, "this file is not open", id, "open it again");
  if (!file->decoder && !file->graph)
    return base::fail(base::ErrorCode::usage, "there is nothing to plan in this file", file->name,
                      "open a plan, a step graph or a config.json");
  WORKTOP_TRY(machine::Machine machine, machine_for(object, *file, files));
  if (file->decoder) return on_machine(object, *file->decoder, std::move(machine));
  const machine::Machine as_planned = machine;
  WORKTOP_CHECK(read_tiers(object, machine));
  PageSubject read;
  read.subject = advisor::subject(file->graph->graph, file->graph->durations, machine);
  const bool same_links = machine.links.size() == as_planned.links.size();
  if (file->plan && same_links && !object.find_set("machine")) read.plan = file->plan;
  return read;
}

}  // namespace

Result<PageSubject> read_page_subject(const JsonObject& object, const OpenedFiles& files) {
  WORKTOP_TRY(const JsonCursor kind_at, object.at("kind"));
  enum class Kind : std::uint8_t { kitchen, mixed_kitchen, model, file };
  constexpr NamedValue<Kind> kKinds[] = {{"kitchen", Kind::kitchen},
                                         {"mixed_kitchen", Kind::mixed_kitchen},
                                         {"model", Kind::model},
                                         {"file", Kind::file}};
  WORKTOP_TRY(const Kind kind, value_in(kKinds, kind_at));
  switch (kind) {
    case Kind::kitchen:
      return read_kitchen(object);
    case Kind::mixed_kitchen:
      return read_mixed_kitchen(object);
    case Kind::model:
      return read_model(object);
    case Kind::file:
      return read_file(object, files);
  }
  return kind_at.fail("no such kind");
}

}  // namespace worktop::format
