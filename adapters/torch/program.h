// The program that a plan was made for, as the executor meets it: which op of the tape and which node of
// backward is which op of the graph, and which value which. Made by the profile, never changed afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "tape.h"

namespace worktop::adapter {

// A node of backward, by the number autograd gave it, counted from the first of the micro-step. Accumulating
// nodes have no number of their own (kNone).
struct NodeName {
  std::int64_t number = kNone;
  std::string name;
  friend bool operator==(const NodeName&, const NodeName&) = default;
};

struct Layout {
  struct ExpectedOp {
    const OperatorFacts* facts = nullptr;
    std::vector<std::int64_t> output_bytes;  // of its fresh outputs, in order
  };
  struct Unit {  // the ops of the tape that are one op of the graph: first to last; none for others
    OpIndex first = kNone, last = kNone;
  };
  std::vector<ExpectedOp> ops;                 // by op of the tape
  std::vector<graph::OpId> graph_op_of;        // by op of the tape
  std::vector<Unit> unit_of;                   // by op of the graph
  std::vector<graph::ValueId> graph_value_of;  // by value of the tape; none: not the plan's
  std::vector<ValueIndex> tape_value_of;       // by value of the graph; kNone: nobody can hold it
  std::vector<NodeName> nodes;                 // of backward, in order
  std::vector<graph::OpId> graph_op_of_node;   // by node
  std::vector<std::uint8_t> reads_saved;       // by number of a node: whether it reads what is planned
  graph::OpId first_backward;                  // of the graph; op_count where there is none
};

struct Program {
  std::shared_ptr<const Layout> layout;
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const plan::Plan> plan;         // legal on `graph`; the caller's promise
  std::vector<machine::Tier> lower_tier_of_link;  // by link of the plan's machine
};

}  // namespace worktop::adapter
