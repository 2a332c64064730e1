// For the tests of this room: small graphs whose bytes are powers of two, so that every sum names its parts,
// and plans written down boundary by boundary.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "graph/builder.h"
#include "plan/plan.h"

namespace worktop::plan::draft {

using graph::GraphBuilder;
using graph::Origin;
using graph::Phase;
using graph::ProgramHold;
using graph::ValueKind;

inline Graph built(GraphBuilder builder) {
  base::Result<Graph> graph = std::move(builder).build();
  EXPECT_TRUE(graph.has_value()) << graph.error().what << " at " << graph.error().where;
  return *std::move(graph);
}

// The links of `toy_machine`, by number: down to the host and up again, the same for the disk below the host,
// and directly between device and disk.
inline constexpr LinkId kDown{0}, kUp{1}, kSave{2}, kLoad{3}, kDownToDisk{4}, kUpFromDisk{5};

inline machine::Machine toy_machine() {
  machine::Machine machine;
  using enum Tier;
  for (const auto& [from, to] : {std::pair{device, host},
                                 {host, device},
                                 {host, disk},
                                 {disk, host},
                                 {device, disk},
                                 {disk, device}}) {
    machine::Link link;
    link.from = from;
    link.to = to;
    machine.links.push_back(link);
  }
  return machine;
}

// A plan that does nothing and keeps everything, until told otherwise.
class Draft {
 public:
  explicit Draft(const Graph& graph) : rows_(static_cast<std::size_t>(graph.op_count()) + 1) {
    plan_.made_by = "draft";
    plan_.graph = graph.hash();
    plan_.fates = base::IdVector<ValueId, Fate>(graph.value_count(), Fate::keep);
  }
  Draft& fate(ValueId v, Fate fate) {
    plan_.fates[v] = fate;
    return *this;
  }
  Draft& at(std::size_t boundary, std::initializer_list<Action> actions) {
    rows_[boundary].insert(rows_[boundary].end(), actions);
    return *this;
  }
  [[nodiscard]] Plan plan() const {
    Plan plan = plan_;
    for (const std::vector<Action>& row : rows_) plan.actions.push_row(row);
    return plan;
  }

 private:
  Plan plan_;
  std::vector<std::vector<Action>> rows_;
};

// Three ops forward and back. Bytes: x 1, a 2, b 4, c 8, db 16, da 32, dw 64; op f has a workspace of 128.
//
//   0 f: x -> a     1 g: a -> b     2 h: b -> c     3 h.grad: b c -> db     4 g.grad: a db -> da
//   5 f.grad: x da -> dw
//
// The program holds x and dw to the end, a until g, b until h, c until h (its producer), db until g.grad, da
// until f.grad. The executor can hold a, b and c: all three are decidable.
struct Chain {
  enum class Triggers { everywhere, eager };
  ValueId x, a, b, c, db, da, dw;
  OpId f, g, h, h_grad, g_grad, f_grad;
  Graph graph;

  explicit Chain(Triggers triggers = Triggers::everywhere, graph::OpFlags flags_of_g = {}) {
    GraphBuilder build("chain", Origin::trace);
    const auto forward = ProgramHold::to_last_forward_reader;
    x = build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}});
    a = build.add_value({.name = "a", .bytes = Bytes{2}, .holdable = true}, forward);
    b = build.add_value({.name = "b", .bytes = Bytes{4}, .holdable = true}, forward);
    c = build.add_value({.name = "c", .bytes = Bytes{8}, .holdable = true}, forward);
    db = build.add_value({.name = "db", .kind = ValueKind::temporary, .bytes = Bytes{16}});
    da = build.add_value({.name = "da", .kind = ValueKind::temporary, .bytes = Bytes{32}});
    dw = build.add_value({.name = "dw", .kind = ValueKind::gradient, .bytes = Bytes{64}});
    const auto layer = build.add_block("layers.0", "layer");
    f = build.add_op({.name = "f", .kind = "embed", .workspace = Bytes{128}}, {x}, {{a}});
    g = build.add_op({.name = "g", .kind = "linear", .block = layer, .flags = flags_of_g}, {a}, {{b}});
    h = build.add_op({.name = "h", .kind = "norm", .block = layer}, {b}, {{c}});
    h_grad = build.add_op({.name = "h.grad", .phase = Phase::backward}, {b, c}, {{db}});
    g_grad = build.add_op({.name = "g.grad", .phase = Phase::backward}, {a, db}, {{da}});
    f_grad = build.add_op({.name = "f.grad", .phase = Phase::backward}, {x, da}, {{dw}});
    build.set_held_until(dw, OpId::none());
    if (triggers == Triggers::eager) build.set_eager_triggers();
    graph = built(std::move(build));
  }
};

// An op that updates in place. Bytes: x 1, a 2, s 4 and its next version t 4, l 8, ds 16, dx 32.
//
//   0 f: x -> a s     1 relu_: s -> t (in the place of s)     2 loss: t -> l
//   3 relu.grad: t l -> ds     4 f.grad: a ds -> dx
//
// The program holds a until f, s until relu_, t until loss, l until relu.grad, ds until f.grad, dx until
// f.grad (its producer: nobody needs it). The executor can hold a, s and t; a and t are decidable. f has two
// outputs.
struct InPlace {
  ValueId x, a, s, t, l, ds, dx;
  OpId f, relu, loss, relu_grad, f_grad;
  Graph graph;

  InPlace() {
    GraphBuilder build("in_place", Origin::trace);
    const auto forward = ProgramHold::to_last_forward_reader;
    x = build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}});
    a = build.add_value({.name = "a", .bytes = Bytes{2}, .holdable = true}, forward);
    s = build.add_value({.name = "s", .bytes = Bytes{4}, .holdable = true}, forward);
    t = build.add_value({.name = "t", .bytes = Bytes{4}, .holdable = true}, forward);
    l = build.add_value({.name = "l", .bytes = Bytes{8}});
    ds = build.add_value({.name = "ds", .kind = ValueKind::temporary, .bytes = Bytes{16}});
    dx = build.add_value({.name = "dx", .kind = ValueKind::temporary, .bytes = Bytes{32}});
    f = build.add_op({.name = "f"}, {x}, {{a}, {s}});
    relu = build.add_op({.name = "relu_"}, {s}, {{.value = t, .overwrites = s}});
    loss = build.add_op({.name = "loss"}, {t}, {{l}});
    relu_grad = build.add_op({.name = "relu.grad", .phase = Phase::backward}, {t, l}, {{ds}});
    f_grad = build.add_op({.name = "f.grad", .phase = Phase::backward}, {a, ds}, {{dx}});
    graph = built(std::move(build));
  }
};

}  // namespace worktop::plan::draft
