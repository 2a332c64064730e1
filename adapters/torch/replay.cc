#include "replay.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "own_doing.h"

namespace worktop::adapter {
namespace {

const MadeAgain* find_in(const std::vector<MadeAgain>& made, ValueIndex value) {
  const auto found = std::ranges::find(made, value, &MadeAgain::value);
  return found == made.end() ? nullptr : &*found;
}

// The default generator stands where it stood when the op first ran, until this goes.
class DrawAgain {
 public:
  explicit DrawAgain(const at::Generator& then) : global_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard lock(global_.mutex());
    saved_ = global_.clone();
    put(then);
  }
  ~DrawAgain() {
    const std::lock_guard lock(global_.mutex());
    put(saved_);
  }

 private:
  void put(const at::Generator& from) {
    auto* into = at::check_generator<at::CPUGeneratorImpl>(global_);
    auto* state = at::check_generator<at::CPUGeneratorImpl>(from);
    into->set_engine(state->engine());
    into->set_next_float_normal_sample(state->next_float_normal_sample());
    into->set_next_double_normal_sample(state->next_double_normal_sample());
  }
  at::Generator global_, saved_;
};

// The arguments with tensors in their places. A written one stands on a copy, or on what this replay made.
class Arguments {
 public:
  Arguments(const Tape& tape, const TapeOp& op, std::vector<MadeAgain>& made,
            const std::function<c10::Storage(ValueIndex)>& find)
      : tape_(tape), op_(op), made_(made), find_(find), stack_(op.arguments) {}

  // Which value is missing, or nothing.
  std::string fill() {
    for (const TapeArgument& argument : op_.tensors) {
      if (left_out(op_, argument)) continue;
      const c10::Storage storage = storage_of(argument);
      if (!storage) return describe(argument);
      put(argument, tensor_on(storage, argument.tensor.geometry));
    }
    finish_lists();
    if (op_.facts->generator_argument >= 0 && op_.drawn_from.defined())
      stack_[static_cast<size_t>(op_.facts->generator_argument)] = op_.drawn_from.clone();
    return {};
  }
  [[nodiscard]] torch::jit::Stack& stack() { return stack_; }

 private:
  c10::Storage storage_of(const TapeArgument& argument) {
    const ValueIndex value = argument.tensor.value;
    const MadeAgain* mine = find_in(made_, value);
    if (mine && op_.facts->writes[static_cast<size_t>(argument.argument)]) return mine->storage;
    c10::Storage storage = mine ? mine->storage : find_(value);
    if (!storage || !op_.facts->writes[static_cast<size_t>(argument.argument)]) return storage;
    c10::Storage copy = new_storage(static_cast<std::int64_t>(storage.nbytes()));
    std::memcpy(copy.mutable_data(), storage.data(), storage.nbytes());
    return copy;
  }

  void put(const TapeArgument& argument, at::Tensor tensor) {
    const auto place = static_cast<size_t>(argument.argument);
    if (argument.item == kNone) {
      stack_[place] = std::move(tensor);
      return;
    }
    if (lists_.size() <= place) lists_.resize(place + 1);
    if (lists_[place].empty()) lists_[place].resize(static_cast<size_t>(op_.arguments[place].toInt()));
    lists_[place][static_cast<size_t>(argument.item)] = std::move(tensor);
  }

  void finish_lists() {
    const auto& schema = op_.facts->handle->schema();
    for (size_t place = 0; place < lists_.size(); ++place) {
      if (lists_[place].empty()) continue;
      const auto& type = schema.arguments()[place].type();
      const auto* list = type->castRaw<c10::ListType>();
      const bool optional_items = list && list->getElementType()->kind() == c10::TypeKind::OptionalType;
      if (optional_items) {
        c10::List<std::optional<at::Tensor>> items;
        for (at::Tensor& item : lists_[place])
          items.push_back(item.defined() ? std::optional(std::move(item)) : std::nullopt);
        stack_[place] = std::move(items);
      } else {
        c10::List<at::Tensor> items;
        for (at::Tensor& item : lists_[place]) items.push_back(std::move(item));
        stack_[place] = std::move(items);
      }
    }
  }

  [[nodiscard]] std::string describe(const TapeArgument& argument) const {
    const TapeValue& value = tape_.values[static_cast<size_t>(argument.tensor.value)];
    const std::string writer = value.source == Source::op
                                   ? tape_.ops[static_cast<size_t>(value.producer)].facts->name
                                   : "unseen code";
    return "argument " + std::to_string(argument.argument) + " of " + op_.facts->name + ", written by " +
           writer + ", is gone";
  }

  const Tape& tape_;
  const TapeOp& op_;
  std::vector<MadeAgain>& made_;
  const std::function<c10::Storage(ValueIndex)>& find_;
  torch::jit::Stack stack_;
  std::vector<std::vector<at::Tensor>> lists_;
};

void append_tensors(const c10::IValue& value, std::vector<at::Tensor>* tensors) {
  if (value.isTensor()) {
    tensors->push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) tensors->push_back(tensor);
  }
}

}  // namespace

bool left_out(const TapeOp& op, const TapeArgument& argument) {
  return std::ranges::find(op.facts->leave_out, argument.argument) != op.facts->leave_out.end();
}

std::string replay(const Tape& tape, OpIndex index, std::vector<MadeAgain>& made,
                   const std::function<c10::Storage(ValueIndex)>& find) {
  const TapeOp& op = tape.ops[static_cast<size_t>(index)];
  if (!op.replayable()) return op.facts->name + " must not run twice";
  const at::RecordFunctionGuard unseen(false);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const at::AutoGradMode grad_mode(op.grad_mode);
  Arguments arguments(tape, op, made, find);
  if (std::string missing = arguments.fill(); !missing.empty()) return missing;
  {
    std::optional<DrawAgain> draw_again;
    if (op.drawn_from.defined() && op.facts->generator_argument < 0) draw_again.emplace(op.drawn_from);
    op.facts->handle->callBoxed(&arguments.stack());
  }
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& value : arguments.stack()) append_tensors(value, &outputs);
  for (const TapeOutput& out : op.outputs) {
    if (out.made == Made::view || static_cast<size_t>(out.output) >= outputs.size()) continue;
    const ValueIndex older = tape.values[static_cast<size_t>(out.tensor.value)].overwrites;
    for (MadeAgain& one : made)
      if (one.value == older && older != kNone) one.value = kNone;
    made.push_back({out.tensor.value, outputs[static_cast<size_t>(out.output)].storage()});
  }
  return {};
}

}  // namespace worktop::adapter
