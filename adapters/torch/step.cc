#include "step.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "meter.h"
#include "own_doing.h"
#include "replay.h"

namespace worktop::adapter {
namespace {

constexpr std::uint8_t bit_of(machine::Tier tier) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(tier));
}

std::string text_of(const base::Error& error) {
  std::string text = error.what;
  if (!error.where.empty()) text += " (" + error.where + ")";
  if (!error.hint.empty()) text += "; " + error.hint;
  return text;
}

// In torch's own words.
void check(const c10::VariableVersion& counter, std::uint32_t version, at::IntArrayRef sizes) {
  if (!counter.enabled() || static_cast<std::uint32_t>(counter.current_version()) == version) return;
  TORCH_CHECK(
      false,
      "one of the variables needed for gradient computation has been modified by an inplace operation: a "
      "tensor of shape ",
      sizes, " is at version ", counter.current_version(), "; expected version ", version, " instead.");
}

template <class T>
T& at_grown(std::vector<T>& items, ValueIndex index) {
  const auto place = static_cast<size_t>(index);
  if (items.size() <= place) items.resize(place + 1);
  return items[place];
}

}  // namespace

void Handle::check_unwritten() const {
  check(counter, version, value == kNone ? kept.sizes() : at::IntArrayRef(geometry.sizes));
}

Handle::~Handle() {
  if (step && (value != kNone || unsettled)) step->handle_gone(*this);
}

Step::Step(std::uint64_t number, Mode mode, std::shared_ptr<const Program> program,
           std::shared_ptr<runtime::Store> store, machine::Tier capture_tier)
    : number_(number),
      mode_(mode),
      program_(std::move(program)),
      store_(std::move(store)),
      capture_tier_(capture_tier) {
  if (mode_ == Mode::planned && !program_) mode_ = Mode::keep;
}

Step::~Step() {
  if (!store_) return;
  for (size_t v = 0; v < lower_.size(); ++v)
    if (lower_[v]) store_->cancel(key_of(static_cast<ValueIndex>(v)));
}

runtime::Key Step::key_of(ValueIndex value) const {
  return runtime::Key{(number_ << 32) | static_cast<std::uint32_t>(value)};
}

at::Tensor& Step::held(ValueIndex value) {
  return at_grown(held_, value);
}

void Step::hold(ValueIndex value, const c10::Storage& storage) {
  at::Tensor& place = held(value);
  if (!place.defined())
    place = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage),
                                                     c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                     caffe2::TypeMeta::Make<std::uint8_t>());
}

// Where a value's bytes are now: held by the executor or the running node, or still alive with the program.
c10::Storage Step::resident(ValueIndex value) {
  const TapeValue& known = tape.values[static_cast<size_t>(value)];
  const bool written = known.overwritten_by == kNone && !known.untouched();  // by code outside the forward
  if (at::Tensor& tensor = held(value); tensor.defined()) {
    arrive(value);
    if (!held(value).defined()) return {};
    const c10::Storage storage = held(value).storage();
    const bool first = storage.unsafeGetStorageImpl() == known.storage._unsafe_get_target();
    if (!written || !first) return storage;
    held(value).reset();
    return {};
  }
  for (const Running& running : running_)
    if (running.value == value) return running.tensor.storage();
  if (known.lasting.defined())
    return version_of(known.lasting) == known.version ? known.lasting.storage() : c10::Storage{};
  if (known.overwritten_by != kNone || written) return {};
  if (auto alive = known.storage.lock()) return c10::Storage(std::move(alive));
  return {};
}

// --- forward

// What the plan does between two ops is done when the second begins: by then the program has let go of what
// it gives up between them, as the profile says.
void Step::before_op() {
  if (mode_ != Mode::planned) return;
  const auto& layout = *program_->layout;
  const auto op = static_cast<size_t>(next_op());
  if (op < layout.graph_op_of.size()) run_boundaries(layout.graph_op_of[op].index());
}

void Step::after_op(OpIndex op) {
  if (mode_ != Mode::planned) return;
  check_op(op);
  if (mode_ != Mode::planned) return;
  for (const TapeOutput& out : tape.ops[static_cast<size_t>(op)].outputs) {
    if (out.made == Made::view) continue;
    if (!plan_holds(out.tensor.value)) continue;
    if (auto alive = tape.values[static_cast<size_t>(out.tensor.value)].storage.lock())
      hold(out.tensor.value, c10::Storage(std::move(alive)));
  }
  // Before an op that nobody sees begin, this is the last moment to act.
  const auto& graph_op_of = program_->layout->graph_op_of;
  const std::int32_t next = graph_op_of[static_cast<size_t>(op)].index() + 1;
  const auto after = static_cast<size_t>(op) + 1;
  if (after == graph_op_of.size() || graph_op_of[after].index() > next) run_boundaries(next);
}

// Is this the program that was planned?
void Step::check_op(OpIndex op) {
  const auto& expected_ops = program_->layout->ops;
  const TapeOp& met = tape.ops[static_cast<size_t>(op)];
  if (static_cast<size_t>(op) >= expected_ops.size())
    return leave_plan("the forward has more ops than when it was planned: " + met.facts->name);
  const auto& expected = expected_ops[static_cast<size_t>(op)];
  if (met.facts != expected.facts)
    return leave_plan("op " + std::to_string(op) + " was " + expected.facts->name +
                      " when it was planned and is " + met.facts->name + " now");
  size_t fresh = 0;
  for (const TapeOutput& out : met.outputs) {
    if (out.made != Made::fresh) continue;
    const std::int64_t bytes = tape.values[static_cast<size_t>(out.tensor.value)].bytes;
    if (fresh >= expected.output_bytes.size() || expected.output_bytes[fresh] != bytes)
      return leave_plan("op " + std::to_string(op) + " (" + met.facts->name +
                        ") writes another size than when it was planned");
    ++fresh;
  }
  if (fresh != expected.output_bytes.size())
    return leave_plan("op " + std::to_string(op) + " (" + met.facts->name +
                      ") writes fewer outputs than planned");
}

void Step::leave_plan(std::string why) {
  if (mode_ != Mode::planned) return;
  mode_ = Mode::keep;
  counts.left_plan = std::move(why);
  // Whatever no handle asks for is not wanted any more, and replays find their inputs by themselves.
  for (size_t v = 0; v < held_.size(); ++v)
    if (held_[v].defined() && at_grown(handles_, static_cast<ValueIndex>(v)) == 0)
      forget(static_cast<ValueIndex>(v));
}

void Step::pack(const at::Tensor& tensor, bool inside_op, Handle& handle) {
  ++counts.packs;
  handle.step = shared_from_this();
  handle.version = version_of(tensor);
  handle.counter = tensor.unsafeGetTensorImpl()->version_counter();
  handle.kept = tensor;
  handle.node_number =
      inside_op && !tape.ops.empty() ? tape.ops.back().node_number : at::sequence_number::peek();
  const bool plain = tensor.defined() && tensor.layout() == c10::kStrided && tensor.has_storage() &&
                     tensor.device().is_cpu() && !tensor.unsafeGetTensorImpl()->is_python_dispatch();
  if (!plain || !recording) return;
  const ValueIndex value = tape.find(tensor.storage().unsafeGetStorageImpl());
  const bool written_by_open_op =
      value == kNone || tape.values[static_cast<size_t>(value)].version != handle.version;
  if (!inside_op || !written_by_open_op) return settle(handle);
  handle.unsettled = true;
  unsettled_.push_back(&handle);
}

void Step::settle_packs() {
  if (unsettled_.empty()) return;
  for (Handle* handle : unsettled_) {
    handle->unsettled = false;
    settle(*handle);
  }
  unsettled_.clear();
}

// From here on the handle is an activation of the tape, if the tensor is one: it holds only the way back.
void Step::settle(Handle& handle) {
  const at::Tensor& tensor = handle.kept;
  const ValueIndex value = tape.find(tensor.storage().unsafeGetStorageImpl());
  if (value == kNone) {
    counts.unseen_bytes += static_cast<std::int64_t>(tensor.storage().nbytes());
    return;
  }
  const TapeValue& known = tape.values[static_cast<size_t>(value)];
  if (known.source == Source::opaque && known.version == handle.version) counts.unseen_bytes += known.bytes;
  if (known.source != Source::op || known.version != handle.version || known.bytes == 0) return;
  handle.value = value;
  handle.geometry = Geometry::of(tensor);
  ++at_grown(handles_, value);
  handle.awaited = mode_ == Mode::planned && plan_has_node(handle.node_number);
  if (handle.awaited) ++at_grown(awaited_, value);
  at_grown(packed, value) = 1;
  const bool planned = mode_ == Mode::planned &&
                       static_cast<size_t>(value) < program_->layout->graph_value_of.size() &&
                       program_->layout->graph_value_of[static_cast<size_t>(value)].exists();
  if (mode_ == Mode::capture) capture_away(value);
  // What the plan knows is held by the plan; the hold began, or begins, when its op ends.
  if (mode_ == Mode::keep || (!planned && mode_ == Mode::planned)) hold(value, tensor.storage());
  handle.kept.reset();
}

// The first step at a signature: the value leaves the device as soon as the program lets go of it.
void Step::capture_away(ValueIndex value) {
  if (at_grown(lower_, value) || held(value).defined()) return;
  const c10::Storage storage = resident(value);
  const base::Bytes size{tape.values[static_cast<size_t>(value)].bytes};
  if (store_) {
    const OwnDoing own;
    base::Status done = store_->copy_out(key_of(value), storage.data(), size, capture_tier_);
    if (done) {
      at_grown(lower_, value) = bit_of(capture_tier_);
      done = store_->release(key_of(value));
    }
    if (done) return;
    store_->cancel(key_of(value));
    at_grown(lower_, value) = 0;
    if (counts.left_plan.empty())
      counts.left_plan = "an activation could not be copied away: " + text_of(done.error());
  }
  hold(value, storage);
}

// --- backward

void Step::before_node(std::int64_t number, const char* name) {
  in_node_ = true;
  if (logging) visits.push_back({{number, name}, {}});
  if (mode_ != Mode::planned) return;
  const auto& layout = *program_->layout;
  const auto matches = [&](size_t node) {
    return layout.nodes[node].number == number && layout.nodes[node].name == name;
  };
  auto node = static_cast<size_t>(next_node_);
  if (node >= layout.nodes.size() || !matches(node)) {
    // Another order: go to where the plan has this node, if that lies ahead.
    while (node < layout.nodes.size() && !matches(node)) ++node;
    if (node >= layout.nodes.size()) return;
  }
  next_node_ = static_cast<std::int32_t>(node) + 1;
  run_boundaries(layout.graph_op_of_node[node].index());
}

void Step::after_node() {
  in_node_ = false;
  if (running_.empty()) return;
  const OwnDoing own;
  // A node that the plan expected before this one has not run, and may still: what it will ask for stays.
  if (mode_ == Mode::planned && !keeps_graph())
    for (const Running& running : running_)
      if (running.last_read && at_grown(awaited_, running.value) > running.unpacked)
        hold(running.value, running.tensor.storage());
  running_.clear();
}

bool Step::plan_has_node(std::uint64_t number) const {
  const auto& marks = program_->layout->reads_saved;
  const std::uint64_t relative = number - first_node_number;
  return relative < marks.size() && marks[relative] != 0;
}

// The engine is done: what no handle asks for any more is not needed.
void Step::after_backward() {
  in_node_ = false;
  running_.clear();
  const bool wanted = std::ranges::any_of(handles_, [](std::int32_t n) { return n > 0; });
  if (wanted) return;
  const OwnDoing own;
  for (size_t v = 0; v < held_.size(); ++v) forget(static_cast<ValueIndex>(v));
}

// Lets go of a value everywhere. Copies that read or write its bytes end before the bytes go.
void Step::forget(ValueIndex value) {
  if (store_ && at_grown(lower_, value)) {
    store_->cancel(key_of(value));
    lower_[static_cast<size_t>(value)] = 0;
    at_grown(arriving_, value) = 0;
  }
  held(value).reset();
}

void Step::handle_gone(const Handle& handle) {
  if (handle.unsettled) {
    std::erase(unsettled_, &handle);
    return;
  }
  const ValueIndex value = handle.value;
  if (handle.awaited) --at_grown(awaited_, value);
  if (--at_grown(handles_, value) > 0 || mode_ == Mode::planned) return;
  const OwnDoing own;
  forget(value);
}

at::Tensor Step::unpack(const Handle& handle) {
  ++counts.unpacks;
  handle.check_unwritten();
  if (handle.value == kNone) {
    return without_history(handle.kept);
  }
  if (logging && in_node_ && !visits.empty()) {
    auto& reads = visits.back().reads;
    if (std::ranges::find(reads, handle.value) == reads.end()) reads.push_back(handle.value);
  }
  c10::Storage storage = resident(handle.value);
  for (Running& running : running_)
    if (running.value == handle.value) ++running.unpacked;
  if (!storage) {
    const OwnDoing own;
    if (mode_ != Mode::capture) ++counts.unplanned;
    storage = bring_back(handle.value);
    if (in_node_)
      running_.push_back({handle.value, tensor_on(storage, handle.geometry), false, 1});
    else if (mode_ != Mode::planned)
      hold(handle.value, storage);
  }
  return tensor_on(storage, handle.geometry);
}

// A copy in that was begun must have ended before anybody reads.
void Step::arrive(ValueIndex value) {
  if (static_cast<size_t>(value) >= arriving_.size() || !arriving_[static_cast<size_t>(value)]) return;
  arriving_[static_cast<size_t>(value)] = 0;
  if (const auto done = store_->arrive(key_of(value)); !done) {
    held(value).reset();
    leave_plan("a copy in failed: " + text_of(done.error()));
  }
}

c10::Storage Step::read_lower(ValueIndex value) {
  const auto lower = at_grown(lower_, value);
  if (!lower) return {};
  const machine::Tier tier = lower & bit_of(machine::Tier::host) ? machine::Tier::host : machine::Tier::disk;
  const base::Bytes size{tape.values[static_cast<size_t>(value)].bytes};
  c10::Storage storage = new_storage(size.count());
  base::Status done = store_->copy_in(key_of(value), storage.mutable_data(), size, tier);
  if (done) done = store_->arrive(key_of(value));
  TORCH_CHECK(done, "worktop: an activation cannot be read back from the ", machine::name_of(tier), ": ",
              text_of(done.error()));
  (void)store_->release(key_of(value));
  return storage;
}

// Off plan: reads the lower copy, or runs again what made the value, and what made that, as far as needed.
c10::Storage Step::bring_back(ValueIndex wanted) {
  std::vector<ValueIndex> stack{wanted};
  std::vector<ValueIndex> made;
  while (!stack.empty()) {
    const ValueIndex value = stack.back();
    if (resident(value)) {
      stack.pop_back();
      continue;
    }
    if (c10::Storage read = read_lower(value)) {
      hold(value, read);
      made.push_back(value);
      stack.pop_back();
      continue;
    }
    const TapeValue& lost = tape.values[static_cast<size_t>(value)];
    if (lost.lasting.defined()) check(lost.counter, lost.version, lost.lasting.sizes());
    TORCH_CHECK(
        lost.source == Source::op && tape.ops[static_cast<size_t>(lost.producer)].replayable(),
        "worktop: an activation was let go and cannot be made again: backward ran a second time without "
        "retain_graph=True, or a value that ",
        lost.producer == kNone ? "unseen code" : tape.ops[static_cast<size_t>(lost.producer)].facts->name,
        " wrote was overwritten");
    const size_t before = stack.size();
    const TapeOp& producer = tape.ops[static_cast<size_t>(lost.producer)];
    TORCH_CHECK(value != wanted || !producer.facts->uninitialised,
                "worktop: an activation was let go and cannot be made again: unseen code wrote it");
    for (const TapeArgument& argument : producer.tensors)
      if (!resident(argument.tensor.value) && !left_out(producer, argument))
        stack.push_back(argument.tensor.value);
    if (stack.size() > before) continue;
    run_again(lost.producer, lost.producer, value);
    made.push_back(value);
    stack.pop_back();
  }
  c10::Storage storage = resident(wanted);
  for (const ValueIndex value : made) held(value).reset();
  return storage;
}

// --- the plan

void Step::run_boundaries(std::int32_t last) {
  while (next_boundary_ <= last && mode_ == Mode::planned) run_boundary(next_boundary_++);
}

void Step::run_boundary(std::int32_t boundary) {
  const auto actions = program_->plan->actions[plan::Boundary{boundary}];
  if (actions.empty()) return;
  const OwnDoing own;
  // A second backward through the graph may be meant: then nothing can be given up for good.
  const bool backward = boundary >= program_->layout->first_backward.index();
  const bool retained = backward && keeps_graph();
  for (const plan::Action& action : actions) {
    if (retained && (action.kind == plan::ActionKind::drop || action.kind == plan::ActionKind::release))
      continue;
    std::string trouble;
    if (!act(action, graph::OpId{boundary}, &trouble)) return leave_plan(std::move(trouble));
  }
}

// One action of the plan; false, and why, if the step has left the plan.
bool Step::act(const plan::Action& action, graph::OpId reader, std::string* trouble) {
  const auto& layout = *program_->layout;
  if (action.kind == plan::ActionKind::recompute) {
    const Layout::Unit unit = layout.unit_of[action.op.at()];
    run_again(unit.first, unit.last, kNone);
    return mode_ == Mode::planned;
  }
  const ValueIndex value = layout.tape_value_of[action.value.at()];
  switch (action.kind) {
    case plan::ActionKind::drop:
      if (action.tier == machine::Tier::device) {
        let_go(value, reader);
      } else {
        arrive(value);  // with its last copy below the store forgets the value, and what is under way
        store_->drop(key_of(value), action.tier);
        at_grown(lower_, value) &= static_cast<std::uint8_t>(~bit_of(action.tier));
      }
      return true;
    case plan::ActionKind::release:
      if (const auto done = store_->release(key_of(value), action.tier); !done) {
        *trouble = "a copy out failed: " + text_of(done.error());
        return false;
      }
      if (action.tier == machine::Tier::device) let_go(value, reader);
      return true;
    case plan::ActionKind::copy_out:
      return copy_out(value, program_->lower_tier_of_link[action.link.at()], trouble);
    case plan::ActionKind::copy_in:
      return copy_in(value, program_->lower_tier_of_link[action.link.at()], trouble);
    case plan::ActionKind::recompute:
      break;
  }
  return true;
}

// What the next op reads stays until that op ends. A value that no node of the plan will read any more stays
// if one that came before in the plan has not run: it was left out of this backward, and may come in another.
void Step::let_go(ValueIndex value, graph::OpId reader) {
  at::Tensor& tensor = held(value);
  if (!tensor.defined()) return;
  arrive(value);
  const bool in_backward =
      reader >= program_->layout->first_backward && reader.index() < program_->graph->op_count();
  if (in_backward && tensor.defined()) {
    const auto readers =
        program_->graph->readers(program_->layout->graph_value_of[static_cast<size_t>(value)]);
    const bool reads = std::ranges::find(readers, reader) != readers.end();
    const bool last_read = !readers.empty() && readers.back() <= reader;
    if (reads)
      running_.push_back({value, std::move(tensor), last_read});
    else if (last_read && at_grown(awaited_, value) > 0)
      return;
  }
  // Copies of these bytes, if any are under way, end first.
  if (at_grown(lower_, value)) (void)store_->release(key_of(value));
  tensor.reset();
}

bool Step::copy_out(ValueIndex value, machine::Tier tier, std::string* trouble) {
  const at::Tensor& tensor = held(value);
  const base::Bytes size{tape.values[static_cast<size_t>(value)].bytes};
  if (!store_ || !tensor.defined()) {
    *trouble = "a value to be copied out is not there";
    return false;
  }
  if (const auto begun = store_->copy_out(key_of(value), tensor.storage().data(), size, tier); !begun) {
    *trouble = "a copy out could not begin: " + text_of(begun.error());
    return false;
  }
  at_grown(lower_, value) |= bit_of(tier);
  return true;
}

bool Step::copy_in(ValueIndex value, machine::Tier tier, std::string* trouble) {
  const base::Bytes size{tape.values[static_cast<size_t>(value)].bytes};
  if (held(value).defined()) return true;
  hold(value, new_storage(size.count()));
  if (const auto begun = store_->copy_in(key_of(value), held(value).storage().mutable_data(), size, tier);
      !begun) {
    held(value).reset();
    *trouble = "a copy in could not begin: " + text_of(begun.error());
    return false;
  }
  at_grown(arriving_, value) = 1;
  return true;
}

// Runs a stretch of the tape again. For the plan (`wanted` is kNone) the executor takes hold of whatever the
// graph says it can hold; on demand, of the one value that is wanted.
void Step::run_again(OpIndex first, OpIndex last, ValueIndex wanted) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<MadeAgain> made;
  for (OpIndex op = first; op <= last; ++op) {
    const std::string missing = replay(tape, op, made, [this](ValueIndex value) { return resident(value); });
    if (!missing.empty()) {
      TORCH_CHECK(wanted == kNone, "worktop: an activation cannot be made again: ", missing);
      return leave_plan("op " + std::to_string(op) + " could not run again: " + missing);
    }
    ++counts.replays;
  }
  for (const MadeAgain& one : made) {
    if (one.value == kNone || held(one.value).defined()) continue;
    if (wanted == kNone ? !plan_holds(one.value) : one.value != wanted) continue;
    // Where the program has it still, the fresh bytes are a duplicate.
    const c10::Storage there = resident(one.value);
    hold(one.value, there ? there : one.storage);
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  counts.replay_ns += std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
}

bool Step::plan_holds(ValueIndex value) const {
  const auto& graph_value_of = program_->layout->graph_value_of;
  const auto place = static_cast<size_t>(value);
  return place < graph_value_of.size() && graph_value_of[place].exists() &&
         program_->graph->value(graph_value_of[place]).holdable;
}

}  // namespace worktop::adapter
