#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "format/answer_parts.h"
#include "format/machine_catalog.h"
#include "format/model_config.h"
#include "format/model_index.h"
#include "format/page_answers.h"
#include "format/page_parts.h"

namespace worktop::format {
namespace {

using base::Result;
using machine::Tier;

constexpr double kGbInBytes = 1e9;
constexpr base::Bytes kHost = base::kGiB * 64;

// A kitchen of equal layers; the corridor alone differs.
struct KitchenScenario {
  std::string_view id, title;
  double bandwidth_gb_per_s;
  double lambda;
};
constexpr std::array kKitchens{KitchenScenario{"kitchen", "Kitchen", 50, 0.3},
                               KitchenScenario{"narrow", "Kitchen with a narrow corridor", 2, 0.5}};

constexpr base::Bytes kMixedLimit{90'500'000'000};

// Chosen so that keep-all does not fit by default and something else does.
struct ModelScenario {
  std::string_view id, title, model, machine;
  std::int64_t batch, sequence;
  std::string_view optimizer;
  std::int64_t lora_rank;  // 0: none
  bool chunked;
};
constexpr std::array kModels{ModelScenario{"gpt-2-large", "GPT-2 Large on an RTX 4090", "gpt-2-774m-large",
                                           "rtx-4090-24gb", 12, 1024, "adamw", 0, false},
                             ModelScenario{"llama-3.2-1b", "Llama 3.2 1B on an RTX 3090", "llama-3.2-1b",
                                           "rtx-3090-24gb", 4, 2048, "adamw", 0, false},
                             ModelScenario{"llama-3-8b-lora", "Llama 3 8B with LoRA on an RTX 4090",
                                           "llama-3-8b", "rtx-4090-24gb", 2, 4096, "adamw", 16, true},
                             ModelScenario{"qwen2.5-7b", "Qwen2.5 7B on an A100 80GB", "qwen2.5-7b",
                                           "a100-sxm-80gb", 2, 4096, "adamw8bit", 0, false},
                             ModelScenario{"mistral-7b", "Mistral 7B on an H100 80GB", "mistral-7b-v0.3",
                                           "h100-sxm-80gb", 4, 4096, "adamw8bit", 0, false}};

void write_lambda(JsonWriter& w, double memory) {
  w.key("lambda").begin_object();
  write_number(w, "memory", memory);
  write_number(w, "compute", 1 - memory);
  write_number(w, "transfer", 1 - memory);
  w.end();
}

void write_wishes(JsonWriter& w, std::optional<base::Bytes> limit, double lambda,
                  std::optional<std::int64_t> segments) {
  w.key("limits").begin_object();
  w.key("memory_bytes").value(limit);
  w.key("time_ns").null();
  w.end();
  write_lambda(w, lambda);
  w.key("parameters").begin_object();
  w.key("segments").value(segments);
  w.member("beta", 0.5).member("threshold", 2).end();
  w.member("minimize", "time");
}

void write_kitchen(JsonWriter& w, const KitchenScenario& scenario) {
  w.begin_object().member("id", scenario.id).member("title", scenario.title);
  w.key("subject").begin_object().member("kind", "kitchen");
  w.member("layers", 100).member("activation_gb", 3).member("base_gb", 12).member("forward_s", 120);
  w.member("bandwidth_gb_per_s", scenario.bandwidth_gb_per_s)
      .member("host", true)
      .member("disk", false)
      .end();
  write_wishes(w, std::nullopt, scenario.lambda, 10);
  w.end();
}

void write_mixed_kitchen(JsonWriter& w) {
  w.begin_object().member("id", "mixed").member("title", "Mixed kitchen");
  w.key("subject").begin_object().member("kind", "mixed_kitchen");
  w.member("dishes", 24).member("size", 1).member("effort", 1).member("base_gb", 12);
  w.member("bandwidth_gb_per_s", 50).member("host", false).member("disk", false).end();
  write_wishes(w, kMixedLimit, 0.5, std::nullopt);
  w.end();
}

void write_model_scenario(JsonWriter& w, const ModelScenario& scenario) {
  w.begin_object().member("id", scenario.id).member("title", scenario.title);
  w.key("subject").begin_object().member("kind", "model");
  w.member("model", scenario.model).member("machine", scenario.machine);
  w.key("settings").begin_object();
  w.member("batch", scenario.batch).member("sequence", scenario.sequence);
  w.member("precision", "bf16").member("optimizer", scenario.optimizer).member("attention", "fused");
  w.member("cross_entropy", scenario.chunked ? "chunked" : "whole");
  w.key("lora_rank");
  if (scenario.lora_rank > 0)
    w.value(scenario.lora_rank);
  else
    w.null();
  w.end();
  w.key("tiers").begin_object().member("host_bytes", kHost).key("disk_bytes").null().end();
  w.end();
  write_wishes(w, std::nullopt, 0.01, std::nullopt);
  w.end();
}

void write_scenarios(JsonWriter& w) {
  w.key("scenarios").begin_array();
  for (const KitchenScenario& scenario : kKitchens) write_kitchen(w, scenario);
  write_mixed_kitchen(w);
  for (const ModelScenario& scenario : kModels) write_model_scenario(w, scenario);
  w.end();
}

base::Status write_models(JsonWriter& w) {
  WORKTOP_TRY(const std::vector<KnownModel> models, known_models());
  w.key("models").begin_array();
  for (const KnownModel& model : models) {
    if (!model.config) continue;
    WORKTOP_TRY(const model::Decoder decoder, builtin_decoder(model.name));
    w.begin_object().member("name", model.name).member("title", model.title);
    w.member("parameters", model.parameters).member("layers", model.layers).member("hidden", model.hidden);
    w.member("positions", decoder.max_positions).end();
  }
  w.end();
  return {};
}

void write_rate(JsonWriter& w, std::string_view key, const machine::Machine& machine, Tier from, Tier to) {
  const machine::LinkId link = machine.link(from, to);
  write_number(
      w, key,
      link.exists() ? std::optional(machine.links[link].bandwidth.per_second / kGbInBytes) : std::nullopt);
}

base::Status write_machines(JsonWriter& w) {
  WORKTOP_TRY(const std::vector<machine::Machine> machines, known_machines());
  w.key("machines").begin_array();
  for (const machine::Machine& machine : machines) {
    w.begin_object().member("name", machine.name).member("title", machine.title).member("kind", machine.kind);
    w.member("usable_bytes", machine.usable_bytes);
    w.member("default_budget_bytes", machine.default_budget());
    write_rate(w, "link_out_gb_per_s", machine, Tier::device, Tier::host);
    write_rate(w, "link_in_gb_per_s", machine, Tier::host, Tier::device);
    w.end();
  }
  w.end();
  return {};
}

}  // namespace

Result<std::string> page_lists_json() {
  JsonWriter w;
  begin_page_answer(w, "lists");
  write_scenarios(w);
  WORKTOP_CHECK(write_models(w));
  WORKTOP_CHECK(write_machines(w));
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
