#include <utility>

#include "advisor/advisor.h"
#include "cost/roofline.h"
#include "graph/build_decoder.h"

namespace worktop::advisor {

base::Result<Subject> subject(const model::Decoder& decoder, const model::Settings& settings,
                              const machine::Machine& machine) {
  WORKTOP_TRY(graph::Graph graph, graph::build(decoder, settings));
  Subject made = subject(std::move(graph), std::nullopt, machine);
  made.decoder = decoder;
  made.settings = settings;
  return made;
}

Subject subject(graph::Graph graph, std::optional<cost::Durations> durations,
                const machine::Machine& machine) {
  cost::Durations known = durations ? *std::move(durations) : cost::estimate(graph, machine);
  return {.graph = std::move(graph),
          .durations = std::move(known),
          .machine = machine,
          .decoder = std::nullopt,
          .settings = std::nullopt};
}

}  // namespace worktop::advisor
