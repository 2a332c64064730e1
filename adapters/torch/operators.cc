#include "operators.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace worktop::adapter {
namespace {

bool has_kernel(const c10::OperatorHandle& op, c10::DispatchKey key) {
  return op.hasKernelForDispatchKey(key);
}

template <size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, name) != list.end();
}

constexpr std::array<std::string_view, 6> kFusedAttention = {
    "aten::_scaled_dot_product_flash_attention",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
    "aten::_scaled_dot_product_efficient_attention",
    "aten::_scaled_dot_product_cudnn_attention",
    "aten::_flash_attention_forward",
    "aten::_efficient_attention_forward"};
constexpr std::array<std::string_view, 10> kDiscrete = {
    "aten::topk",     "aten::sort",       "aten::argmax",
    "aten::argmin",   "aten::argsort",    "aten::_unique",
    "aten::_unique2", "aten::unique_dim", "aten::unique_consecutive",
    "aten::mode"};
constexpr std::array<std::string_view, 9> kUninitialised = {
    "aten::empty",           "aten::empty_like",           "aten::empty_strided",
    "aten::new_empty",       "aten::empty_permuted",       "aten::new_empty_strided",
    "aten::empty_quantized", "aten::_efficientzerotensor", "aten::resize_"};
constexpr std::array<std::string_view, 12> kConstant = {
    "aten::zeros", "aten::zeros_like", "aten::new_zeros", "aten::zero_",
    "aten::ones",  "aten::ones_like",  "aten::new_ones",  "aten::fill_",
    "aten::full",  "aten::full_like",  "aten::new_full",  "aten::zero"};
constexpr std::array<std::string_view, 7> kSideEffect = {
    "aten::_local_scalar_dense", "aten::set_",           "aten::resize_",   "aten::record_stream",
    "aten::resize_as_",          "aten::_foreach_copy_", "aten::is_nonzero"};
// Update running statistics (arguments 3 and 4) although their schema does not say so.
constexpr std::array<std::string_view, 4> kHiddenStatistics = {
    "aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm",
    "aten::_native_batch_norm_legit"};

bool is_collective(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("_c10d_functional");
}

OperatorFacts look_up(const at::RecordFunction& call) {
  const auto op_name = call.operator_name();
  if (!op_name || !c10::Dispatcher::singleton().findSchema(*op_name))
    return {.handle = std::nullopt, .name = call.name(), .composite = true};
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(op_name->name.c_str(), op_name->overload_name.c_str());
  OperatorFacts facts{.handle = op};
  const std::string& name = op_name->name;
  facts.name = op_name->overload_name.empty() ? name : name + "." + op_name->overload_name;
  facts.composite = has_kernel(op, c10::DispatchKey::CompositeImplicitAutograd);
  facts.autocast = has_kernel(op, c10::DispatchKey::AutocastCPU);  // CUDA's list has others
  facts.seeded = op.hasTag(at::Tag::nondeterministic_seeded);
  facts.fused_attention = is_one_of(name, kFusedAttention);
  facts.discrete = is_one_of(name, kDiscrete);
  facts.uninitialised = is_one_of(name, kUninitialised);
  facts.constant = is_one_of(name, kConstant);
  facts.side_effect = is_one_of(name, kSideEffect) || is_collective(name);
  const auto& arguments = op.schema().arguments();
  facts.writes.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    facts.writes[i] = arguments[i].alias_info() && arguments[i].alias_info()->isWrite();
    if (arguments[i].name() == "generator") facts.generator_argument = static_cast<int>(i);
    if (arguments[i].name() == "dropout_p") facts.dropout_argument = static_cast<int>(i);
  }
  const auto& returns = op.schema().returns();
  facts.in_place = std::ranges::find(facts.writes, true) != facts.writes.end() &&
                   std::ranges::all_of(returns, [](const c10::Argument& out) {
                     return out.alias_info() && out.alias_info()->isWrite();
                   });
  facts.view = !returns.empty() && std::ranges::all_of(returns, [](const c10::Argument& out) {
    return out.alias_info() && !out.alias_info()->isWrite();
  }) && std::ranges::none_of(facts.writes, [](bool writes) { return writes; });
  if (is_one_of(name, kHiddenStatistics) && arguments.size() > 4) {
    facts.writes[3] = facts.writes[4] = true;
    facts.leave_out = {3, 4};
  }
  return facts;
}

}  // namespace

const OperatorFacts& facts_of(const at::RecordFunction& call) {
  // A schema's name lives as long as the operator and is no other's: a key without hashing text.
  thread_local std::unordered_map<const char*, std::unique_ptr<const OperatorFacts>> known;
  auto& facts = known[call.name()];
  if (!facts) facts = std::make_unique<const OperatorFacts>(look_up(call));
  return *facts;
}

}  // namespace worktop::adapter
