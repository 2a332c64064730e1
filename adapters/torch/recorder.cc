#include "recorder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "own_doing.h"

namespace worktop::adapter {
namespace {

struct Recording {
  std::shared_ptr<Step> step;
  at::CallbackHandle forward = at::INVALID_CALLBACK_HANDLE;
  at::CallbackHandle backward = at::INVALID_CALLBACK_HANDLE;
  std::vector<std::weak_ptr<Step>> followed;  // newest last
  const at::RecordFunction* open = nullptr;   // the call of the op that is running
  OpIndex op = kNone;                         // which one that is
  bool busy = false;                          // we call torch ourselves: not the program's doing
  std::int32_t module = kNone;
  int graph_task = -1;  // whose end we have asked to be told of
};
thread_local Recording recording;

// What torch is asked for in here is not recorded. (RecordFunctionGuard would do, but it makes torch look up
// its callbacks anew, which takes longer than to write an op.)
class Busy {
 public:
  explicit Busy(Recording& now) : now_(now), before_(std::exchange(now.busy, true)) {}
  ~Busy() { now_.busy = before_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Recording& now_;
  bool before_;
};

// --- arguments

bool seen_as_tensor(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() && tensor.layout() == c10::kStrided;
}

Source source_of(const at::Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return Source::constant;
  if (tensor.requires_grad() && tensor.is_leaf()) return Source::lasting;
  return Source::opaque;
}

// The value that the tensor shows, as an argument. What the tape has not seen, or what somebody has written
// behind its back, is numbered as opaque.
ValueIndex value_read(Tape& tape, const at::Tensor& tensor) {
  const ValueIndex known = tape.find(tensor.storage().unsafeGetStorageImpl());
  if (known == kNone) return tape.add(tensor, source_of(tensor), kNone);
  TapeValue& value = tape.values[static_cast<size_t>(known)];
  const std::uint32_t version = version_of(tensor);
  if (value.version == version || !tensor.unsafeGetTensorImpl()->version_counter().enabled()) return known;
  if (value.source == Source::lasting && value.producer == kNone && value.overwrites == kNone &&
      value.lasting.unsafeGetTensorImpl() != tensor.unsafeGetTensorImpl() &&
      version_of(value.lasting) == value.version)
    return known;  // another tensor on the same storage, with a counter of its own (detached parameters)
  return tape.add(tensor, Source::opaque, kNone);
}

void write_argument(Tape& tape, TapeOp& op, const c10::IValue& given, std::int16_t place) {
  const auto tensor_at = [&](const at::Tensor& tensor, std::int32_t item) {
    if (!seen_as_tensor(tensor)) return;
    op.tensors.push_back({place, item, {value_read(tape, tensor), Geometry::of(tensor)}});
  };
  if (given.isTensor()) {
    tensor_at(given.toTensor(), kNone);
    op.arguments.emplace_back();
  } else if (given.isTensorList()) {
    const auto list = given.toTensorList();
    for (size_t i = 0; i < list.size(); ++i) tensor_at(list.get(i), static_cast<std::int32_t>(i));
    op.arguments.emplace_back(static_cast<std::int64_t>(list.size()));
  } else if (given.isOptionalTensorList()) {
    const auto list = given.toOptionalTensorList();
    for (size_t i = 0; i < list.size(); ++i)
      if (const std::optional<at::Tensor> item = list.get(i)) tensor_at(*item, static_cast<std::int32_t>(i));
    op.arguments.emplace_back(static_cast<std::int64_t>(list.size()));
  } else {
    op.arguments.push_back(given);
  }
}

// The state it draws from, if it draws at all.
at::Generator drawn_from(const OperatorFacts& facts, const std::vector<c10::IValue>& arguments) {
  if (!facts.seeded) return {};
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  if (facts.generator_argument >= 0) {
    const c10::IValue& given = arguments[static_cast<size_t>(facts.generator_argument)];
    if (given.isGenerator()) generator = given.toGenerator();
  }
  if (!generator.device().is_cpu()) return {};
  const std::lock_guard lock(generator.mutex());
  return generator.clone();
}

bool draws(const OperatorFacts& facts, c10::ArrayRef<const c10::IValue> inputs) {
  if (!facts.seeded) return false;
  if (!facts.fused_attention || facts.dropout_argument < 0) return true;
  const auto& dropout = inputs[static_cast<size_t>(facts.dropout_argument)];
  return !dropout.isDouble() || dropout.toDouble() > 0;
}

bool goes_through_autocast(const OperatorFacts& facts) {
  return facts.autocast && at::autocast::is_autocast_enabled(at::kCPU) &&
         !c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::AutocastCPU);
}

// Does it only write over tensors that the tape has never met? Zeroing gradients within `step()` is such a
// call: to the program of activations it is as if it had been done before, and other steps may do without it.
bool writes_beside_the_tape(const Tape& tape, const OperatorFacts& facts,
                            c10::ArrayRef<const c10::IValue> inputs) {
  const auto unknown = [&](const at::Tensor& tensor) {
    return !seen_as_tensor(tensor) || tape.find(tensor.storage().unsafeGetStorageImpl()) == kNone;
  };
  bool writes = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].isTensor()) {
      if (!unknown(inputs[i].toTensor())) return false;
    } else if (inputs[i].isTensorList()) {
      if (!std::ranges::all_of(inputs[i].toTensorVector(), unknown)) return false;
    } else if (inputs[i].isOptionalTensorList()) {
      return false;
    }
    writes |= facts.writes[i];
  }
  return writes && !facts.seeded;
}

// --- forward

std::unique_ptr<at::ObserverContext> op_begins(const at::RecordFunction& call) {
  Recording& now = recording;
  if (!now.step || now.open || now.busy) return nullptr;
  const OperatorFacts& facts = facts_of(call);
  if (facts.composite || facts.view || goes_through_autocast(facts)) return nullptr;
  const Busy busy(now);
  Step& step = *now.step;
  if (facts.in_place && writes_beside_the_tape(step.tape, facts, call.inputs())) return nullptr;
  step.before_op();
  TapeOp op{.facts = &facts,
            .node_number = at::sequence_number::peek(),
            .module = now.module,
            .grad_mode = c10::GradMode::is_enabled()};
  const auto inputs = call.inputs();
  op.arguments.reserve(inputs.size());
  op.tensors.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    write_argument(step.tape, op, inputs[i], static_cast<std::int16_t>(i));
  op.drawn = draws(facts, inputs);
  if (op.drawn) op.drawn_from = drawn_from(facts, op.arguments);
  now.op = step.next_op();
  now.open = &call;
  at::disableCallback(now.forward);  // half of all calls are made inside of ops: what they call is not ours
  step.tape.ops.push_back(std::move(op));
  Meter::instance().mark(EventKind::op_begin, now.op);
  return nullptr;
}

class OutputWriter {
 public:
  OutputWriter(Tape& tape, OpIndex op) : tape_(tape), index_(op) {}

  void write(const c10::IValue& value) {
    if (value.isTensor()) {
      write(value.toTensor());
    } else if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) write(tensor);
    }
  }

 private:
  TapeOp& op() { return tape_.ops[static_cast<size_t>(index_)]; }

  void write(const at::Tensor& tensor) {
    const std::int32_t number = number_++;
    if (!seen_as_tensor(tensor)) return;
    const ValueIndex known = tape_.find(tensor.storage().unsafeGetStorageImpl());
    if (known == kNone) {
      const ValueIndex value = tape_.add(tensor, Source::op, index_);
      op().outputs.push_back({Made::fresh, number, {value, Geometry::of(tensor)}});
      return;
    }
    TapeValue& value = tape_.values[static_cast<size_t>(known)];
    if (value.producer == index_) {  // two outputs on one storage
      op().outputs.push_back({Made::view, number, {known, Geometry::of(tensor)}});
      return;
    }
    if (written(known)) {
      const Source source = value.source == Source::op ? Source::op : Source::opaque;
      const ValueIndex newer = tape_.add(tensor, source, index_);
      op().outputs.push_back({Made::in_place, number, {newer, Geometry::of(tensor)}});
      return;
    }
    op().outputs.push_back({Made::view, number, {known, Geometry::of(tensor)}});
  }

  [[nodiscard]] bool written(ValueIndex value) {
    return std::ranges::any_of(op().tensors, [&](const TapeArgument& argument) {
      return argument.tensor.value == value && op().facts->writes[static_cast<size_t>(argument.argument)];
    });
  }

  Tape& tape_;
  OpIndex index_;
  std::int32_t number_ = 0;
};

// Nothing was computed: a view, or a read of something. Such an op leaves the tape again.
bool only_looks(const TapeOp& op) {
  return std::ranges::all_of(op.outputs, [](const TapeOutput& out) { return out.made == Made::view; }) &&
         std::ranges::none_of(op.tensors, [&](const TapeArgument& argument) {
           return op.facts->writes[static_cast<size_t>(argument.argument)];
         });
}

void op_ends(const at::RecordFunction& call, at::ObserverContext*) {
  Recording& now = recording;
  if (now.open != &call) return;
  const OpIndex op = now.op;
  now.open = nullptr;
  if (now.forward != at::INVALID_CALLBACK_HANDLE) at::reenableCallback(now.forward);
  if (!now.step || static_cast<size_t>(op) >= now.step->tape.ops.size()) return;
  Meter::instance().mark(EventKind::op_end, op);
  const Busy busy(now);
  Step& step = *now.step;
  OutputWriter writer(step.tape, op);
  for (const c10::IValue& output : call.outputs()) writer.write(output);
  TapeOp& done = step.tape.ops[static_cast<size_t>(op)];
  // What it wrote without giving it back (running statistics) is a newer version that nobody can replay.
  for (const TapeArgument& argument : done.tensors) {
    TapeValue& value = step.tape.values[static_cast<size_t>(argument.tensor.value)];
    if (done.facts->writes[static_cast<size_t>(argument.argument)] && value.lasting.defined()) {
      value.mutated = true;
      value.version = version_of(value.lasting);
    }
  }
  step.settle_packs();
  if (only_looks(done)) {
    step.tape.ops.pop_back();
    return;
  }
  step.after_op(op);
}

// --- backward

Step* step_of_node(std::int64_t number) {
  auto& followed = recording.followed;
  for (auto place = followed.rbegin(); place != followed.rend(); ++place) {
    const auto step = place->lock();
    if (step && number >= static_cast<std::int64_t>(step->first_node_number)) return step.get();
  }
  return nullptr;
}

struct OpenNode final : at::ObserverContext {
  std::shared_ptr<Step> step;
};

void ask_for_the_end(Recording& now) {
  const int task = torch::autograd::get_current_graph_task_id();
  if (task == now.graph_task || task < 0) return;
  now.graph_task = task;
  torch::autograd::Engine::get_default_engine().queue_callback([] {
    for (const auto& followed : recording.followed)
      if (const auto step = followed.lock()) step->after_backward();
    recording.graph_task = -1;
  });
}

// Nodes that accumulate into parameters bear the largest number there is.
constexpr std::int64_t kAccumulates = -1;

std::unique_ptr<at::ObserverContext> node_begins(const at::RecordFunction& call) {
  Recording& now = recording;
  const std::int64_t number = call.seqNr();
  Step* step = number < 0 ? step_of_node(std::numeric_limits<std::int64_t>::max()) : step_of_node(number);
  if (!step) return nullptr;
  if (now.step.get() == step) stop_recording();  // backward within what `step()` covers: the forward is over
  ask_for_the_end(now);
  const Busy busy(now);
  auto open = std::make_unique<OpenNode>();
  open->step = step->shared_from_this();
  const std::int64_t relative =
      number < 0 ? kAccumulates : number - static_cast<std::int64_t>(step->first_node_number);
  Meter::instance().mark(EventKind::node_begin, static_cast<std::int32_t>(step->visits.size()));
  step->before_node(relative, call.name());
  return open;
}

void node_ends(const at::RecordFunction&, at::ObserverContext* context) {
  if (!context) return;
  Step& step = *static_cast<OpenNode*>(context)->step;
  Meter::instance().mark(EventKind::node_end, static_cast<std::int32_t>(step.visits.size()) - 1);
  step.after_node();
}

void remove(at::CallbackHandle& handle) {
  if (handle != at::INVALID_CALLBACK_HANDLE) at::removeCallback(handle);
  handle = at::INVALID_CALLBACK_HANDLE;
}

}  // namespace

const std::shared_ptr<Step>& recorded_step() {
  return recording.step;
}
bool inside_op() {
  return recording.open != nullptr;
}
void enter_module(std::int32_t module) {
  recording.module = module;
}

void start_recording(std::shared_ptr<Step> step) {
  stop_recording();
  step->first_node_number = at::sequence_number::peek();
  recording.step = std::move(step);
  recording.open = nullptr;
  recording.forward = at::addThreadLocalCallback(at::RecordFunctionCallback(&op_begins, &op_ends)
                                                     .needsInputs(true)
                                                     .needsOutputs(true)
                                                     .scopes({at::RecordScope::FUNCTION}));
}

void stop_recording() {
  if (!recording.step) return;
  remove(recording.forward);
  recording.step->recording = false;
  Meter::instance().mark(EventKind::forward_end);
  recording.step.reset();
}

void follow_backward(std::shared_ptr<Step> step) {
  auto& followed = recording.followed;
  std::erase_if(followed, [](const std::weak_ptr<Step>& old) { return old.expired(); });
  followed.push_back(std::move(step));
  if (recording.backward == at::INVALID_CALLBACK_HANDLE)
    recording.backward = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&node_begins, &node_ends).scopes({at::RecordScope::BACKWARD_FUNCTION}));
}

void stop_following() {
  recording.followed.clear();
  remove(recording.backward);
}

}  // namespace worktop::adapter
