// One micro-step as it runs: its tape, what the executor holds, and the way back for what it does not.
//
// A Step lives as long as somebody may ask it for a value: the executor holds the newest one, and every
// handle that autograd keeps holds its own. When the last goes, everything it held goes too: an exception, a
// forward without a backward and `retain_graph` need no special care.
//
// Modes: `keep` holds what was packed until its handles die; `capture` copies it away as it is packed and
// reads it back when asked (the first step at a new signature); `planned` does what the plan says. A planned
// step that meets another program than the plan's goes on as `keep`: the gradients stay right.
//
// Errors: a value that cannot be brought back, or was changed since it was packed, throws c10::Error, as
// torch does.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events.h"
#include "program.h"
#include "runtime/store.h"
#include "tape.h"

namespace worktop::adapter {

enum class Mode : std::uint8_t { keep, capture, planned };

class Step;

// What autograd keeps instead of a saved tensor.
struct Handle {
  std::shared_ptr<Step> step;
  ValueIndex value = kNone;  // kNone: `kept` is the tensor itself
  Geometry geometry;
  at::Tensor kept;                // not an activation of the tape, or not yet numbered
  std::uint32_t version = 0;      // of the tensor when it was packed
  c10::VariableVersion counter;   // the tensor's own
  std::uint64_t node_number = 0;  // of the node that keeps it
  bool awaited = false;           // by a node that the plan has: see Step::let_go
  bool unsettled = false;         // what it is turns out when the running op ends
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  void check_unwritten() const;  // throws, in torch's words, if the tensor was written since it was packed
  ~Handle();
};

// What the step has done so far, for the report.
struct StepCounts {
  std::int64_t packs = 0, unpacks = 0;
  std::int64_t replays = 0;  // ops of the tape that ran again
  std::int64_t replay_ns = 0;
  std::int64_t unplanned = 0;     // values brought back on demand, beside the plan
  std::int64_t unseen_bytes = 0;  // packed, but its producer was not seen: kept
  std::string left_plan;          // why the plan was left; empty: it was not
};

class Step : public std::enable_shared_from_this<Step> {
 public:
  Step(std::uint64_t number, Mode mode, std::shared_ptr<const Program> program,
       std::shared_ptr<runtime::Store> store, machine::Tier capture_tier);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // --- forward, called by the recorder
  [[nodiscard]] OpIndex next_op() const { return static_cast<OpIndex>(tape.ops.size()); }
  void before_op();           // an op that will be recorded is about to run
  void after_op(OpIndex op);  // it is on the tape, outputs and all
  void pack(const at::Tensor& tensor, bool inside_op, Handle& handle);  // the handle is new
  void settle_packs();  // gives the packs of the op that just ended their numbers

  // --- backward
  void before_node(std::int64_t number, const char* name);
  void after_node();
  void after_backward();
  [[nodiscard]] at::Tensor unpack(const Handle& handle);
  void handle_gone(const Handle& handle);

  Tape tape;
  StepCounts counts;
  std::uint64_t first_node_number = 0;
  bool recording = true;  // packs belong to this step's forward
  bool logging = false;   // visits are wanted
  struct Visit {
    NodeName node;
    std::vector<ValueIndex> reads;
  };
  std::vector<Visit> visits;         // nodes of backward, in order, where `logging`
  std::vector<std::uint8_t> packed;  // by value
  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] bool follows_plan() const { return mode_ == Mode::planned; }
  void leave_plan(std::string why);

 private:
  struct Running {
    ValueIndex value;
    at::Tensor tensor;
    bool last_read = false;     // no later node of the plan reads it
    std::int32_t unpacked = 0;  // how often the running node has asked for it
  };
  [[nodiscard]] at::Tensor& held(ValueIndex value);
  [[nodiscard]] c10::Storage resident(ValueIndex value);  // empty: not there
  void hold(ValueIndex value, const c10::Storage& storage);
  [[nodiscard]] c10::Storage bring_back(ValueIndex value);
  [[nodiscard]] c10::Storage read_lower(ValueIndex value);
  void arrive(ValueIndex value);
  void forget(ValueIndex value);
  void run_again(OpIndex first, OpIndex last, ValueIndex wanted);
  [[nodiscard]] bool plan_holds(ValueIndex value) const;
  [[nodiscard]] bool plan_has_node(std::uint64_t number) const;
  void capture_away(ValueIndex value);
  void check_op(OpIndex op);
  void run_boundaries(std::int32_t last);
  void run_boundary(std::int32_t boundary);
  [[nodiscard]] bool act(const plan::Action& action, graph::OpId reader, std::string* trouble);
  [[nodiscard]] bool copy_out(ValueIndex value, machine::Tier tier, std::string* trouble);
  [[nodiscard]] bool copy_in(ValueIndex value, machine::Tier tier, std::string* trouble);
  void let_go(ValueIndex value, graph::OpId reader);
  [[nodiscard]] runtime::Key key_of(ValueIndex value) const;
  void settle(Handle& handle);

  std::uint64_t number_;
  Mode mode_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<runtime::Store> store_;  // handles may outlive the executor
  machine::Tier capture_tier_;
  std::vector<at::Tensor> held_;        // by value: what the executor holds
  std::vector<std::int32_t> handles_;   // by value: how many are alive
  std::vector<std::int32_t> awaited_;   // by value: how many of them belong to nodes that the plan has
  std::vector<std::uint8_t> arriving_;  // by value: a copy in was begun and not yet waited for
  std::vector<std::uint8_t> lower_;     // by value: bit of each lower tier that has, or gets, a copy
  std::vector<Running> running_;        // held by the running node
  std::vector<Handle*> unsettled_;
  std::int32_t next_boundary_ = 0;
  std::int32_t next_node_ = 0;
  bool in_node_ = false;
};

}  // namespace worktop::adapter
