// Small random steps for tests that compare two answers: a graph derived as autograd would, a toy machine and
// durations, all from one seed.
//
//   const Case c = random_case({.seed = 7, .size = 4}, {.flavour = Flavour::eager});
//
// The same seed gives the same case on every machine. `size` is the number of forward ops: a failing case is
// shrunk by lowering it (support/any_case.h does so for RapidCheck), and shown by `describe`.
//
// Always true of a case: the graph was accepted by GraphBuilder, and a legal plan exists: every value that an
// op reads after the program let go is held by the executor, or can be recomputed from values that are there.
#pragma once

#include <cstdint>
#include <string>

#include "cost/durations.h"
#include "graph/graph.h"
#include "machine/machine.h"

namespace worktop::test {

enum class Flavour : std::uint8_t {
  eager,           // eager triggers; the program's variables die with the forward
  every_boundary,  // the same graph with a trigger at every boundary
  tensor_dag,      // only the executor holds: every value holdable, ProgramHold::producer_only
};

enum class Tiers : std::uint8_t { device_only, host, disk, host_and_disk };

struct CaseId {
  std::uint64_t seed = 0;
  std::int32_t size = 3;  // forward ops, at least 1
};

// How likely each feature is, in percent.
struct CaseOptions {
  Flavour flavour = Flavour::eager;
  Tiers tiers = Tiers::device_only;
  std::int32_t skip = 30;          // an op also reads an older value
  std::int32_t weight = 50;        // an op reads a weight, whose gradient stays to the end of the step
  std::int32_t workspace = 40;     // an op has a workspace
  std::int32_t in_place = 15;      // an op overwrites what it reads, as relu_ does
  std::int32_t two_outputs = 15;   // an op writes two values
  std::int32_t not_replayed = 15;  // an op is random, discrete or has a side effect
  std::int32_t opaque = 10;        // an op is opaque and what it writes not holdable (not in tensor_dag)
  std::int32_t no_bytes = 8;       // a value has no bytes
  std::int32_t odd_hold = 20;      // the program holds an activation longer or shorter than usual
  std::int32_t needed_at_end = 0;  // somebody asks for an activation after the step, as in traces
  std::int32_t optimizer = 40;     // the step ends with an op that overwrites the weights
  std::int32_t micro_steps = 20;   // the step has two micro-steps
  std::int32_t both_ways = 50;     // a link is slower while its opposite is busy
  std::int32_t latency = 40;       // copies have a latency
  std::int32_t slowdown = 0;       // compute slows down while links are busy
};

struct Case {
  graph::Graph graph;
  machine::Machine machine;
  cost::Durations durations;
};

[[nodiscard]] graph::Graph random_graph(CaseId id, const CaseOptions& options = {});

// Links of about one byte per nanosecond; `disk` joins device and disk directly, `host_and_disk` goes through
// the host.
[[nodiscard]] machine::Machine random_machine(CaseId id, const CaseOptions& options = {});

// 0 to 12 ns an op.
[[nodiscard]] cost::Durations random_durations(CaseId id, const graph::Graph& graph);

[[nodiscard]] Case random_case(CaseId id, const CaseOptions& options = {});

// A machine without links whose device is as large as anyone asks.
[[nodiscard]] machine::Machine toy_machine();
// Adds the two links between `upper` and `lower`, one byte per nanosecond each way, and the lower tier.
void add_toy_links(machine::Machine& machine, machine::Tier upper, machine::Tier lower);

// One line an op and one a value, for messages of failed tests.
[[nodiscard]] std::string describe(const graph::Graph& graph);

}  // namespace worktop::test
