#include "format/catalog_text.h"

#include <fmt/format.h>

#include "base/dtype.h"
#include "format/sizes.h"
#include "format/text_table.h"

namespace worktop::format {
namespace {

using machine::Link;
using machine::LinkId;
using machine::Machine;
using machine::Tier;

std::string in_gib(base::Bytes bytes) {
  return fmt::format("{:.1f}", ratio(bytes, base::kGiB));
}

std::string in_tflops(base::FlopsPerSecond rate) {
  const double tflops = rate.per_second / 1e12;
  return fmt::format("{:.{}f}", tflops, tflops < 10 ? 1 : 0);
}

// "27/26": out and in, in GB/s. A CPU has no host below it but the disk.
std::string link_rates(const Machine& machine) {
  const Tier lower = machine.link(Tier::device, Tier::host).exists() ? Tier::host : Tier::disk;
  const LinkId out = machine.link(Tier::device, lower);
  const LinkId in = machine.link(lower, Tier::device);
  if (!out.exists() || !in.exists()) return "-";
  return fmt::format("{:.0f}/{:.0f}", machine.links[out].bandwidth.per_second / 1e9,
                     machine.links[in].bandwidth.per_second / 1e9);
}

std::string link_line(const Link& link) {
  return wrapped(
      fmt::format("  {} to {}: {} alone, {} both ways, {} each, nothing below {} ({})", name_of(link.from),
                  name_of(link.to), print_bandwidth(link.bandwidth), print_bandwidth(link.both_ways),
                  print_duration(link.latency), print_bytes(link.smallest), printable(link.source)),
      4);
}

std::string model_row_name(const KnownModel& model) {
  return model.aliases.empty() ? model.name : model.name + " (" + model.aliases.front() + ")";
}

std::string model_table(std::span<const KnownModel> models, bool can_be_planned) {
  TextTable table({{"name", Align::left},
                   {"size"},
                   {"layers"},
                   {"width"},
                   {"family", Align::left, 14},
                   {"kind", Align::left, 16}});
  for (const KnownModel& model : models)
    if (model.config == can_be_planned)
      table.add({model_row_name(model), fmt::format("{:.2f} B", static_cast<double>(model.parameters) / 1e9),
                 std::to_string(model.layers), std::to_string(model.hidden), model.family,
                 model.architecture});
  return table.empty() ? "" : table.print();
}

}  // namespace

std::string machines_text(std::span<const Machine> machines) {
  TextTable table({{"name", Align::left}, {"GiB"}, {"budget"}, {"TB/s"}, {"bf16"}, {"link", Align::right}});
  for (const Machine& machine : machines)
    table.add({machine.name, in_gib(machine.usable_bytes), in_gib(machine.default_budget()),
               fmt::format("{:.2f}", machine.memory_bandwidth.per_second / 1e12),
               in_tflops(machine.matmul_rate(base::Dtype::bf16)), link_rates(machine)});
  return table.print() +
         "\nGiB: what a process can allocate. budget: the default, less context and margin.\n"
         "TB/s: device memory. bf16: Tflop/s that large products reach. link: GB/s out\n"
         "and in, to the host or, for a CPU, to the disk.\n";
}

std::string machine_text(const Machine& machine) {
  std::string text = fmt::format("{}: {} usable, {} as the default budget.\n", printable(machine.name),
                                 print_bytes(machine.usable_bytes), print_bytes(machine.default_budget()));
  text += wrapped(printable(machine.vendor + " " + machine.title + ", " + machine.kind));
  text += wrapped("Usable: " + printable(machine.usable_source), 2);
  text += wrapped(
      fmt::format("Taken from it: context {}, margin {} ({:.1f} %)", print_bytes(machine.context_bytes),
                  print_bytes(machine.margin_bytes()), 100 * machine.margin),
      2);
  text += fmt::format("Memory {}, of which {} are reached. An op takes at least {}.\n\n",
                      print_bandwidth(machine.memory_bandwidth), percent(machine.memory_efficiency),
                      print_duration(machine.launch));
  TextTable rates({{"matmul", Align::left}, {"peak Tflop/s"}, {"reached"}, {"", Align::left}});
  for (const machine::MatmulRate& rate : machine.matmul)
    rates.add({std::string(name_of(rate.dtype)), fmt::format("{:.1f}", rate.peak.per_second / 1e12),
               percent(rate.efficiency), rate.measured ? "measured" : "borrowed or assumed"});
  if (!rates.empty()) text += rates.print() + '\n';
  text += "Links\n";
  for (const Link& link : machine.links) text += link_line(link);
  if (!machine.source.empty()) text += wrapped("Sources: " + printable(machine.source), 2);
  if (!machine.notes.empty()) text += wrapped("Notes: " + printable(machine.notes), 2);
  return text;
}

std::string models_text(std::span<const KnownModel> models) {
  std::string text = model_table(models, true);
  const std::string others = model_table(models, false);
  if (!others.empty()) {
    if (!text.empty()) text += '\n';
    text += "Known by their figures only, so that they can't be planned:\n" + others;
  }
  return text;
}

}  // namespace worktop::format
