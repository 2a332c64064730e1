#include "tape.h"

#include <ATen/TensorUtils.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/core/TensorImpl.h>

#include "meter.h"

namespace worktop::adapter {

Geometry Geometry::of(const at::Tensor& tensor) {
  Geometry geometry;
  geometry.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  geometry.strides.assign(tensor.strides().begin(), tensor.strides().end());
  geometry.offset = tensor.storage_offset();
  geometry.dtype = tensor.scalar_type();
  geometry.device = tensor.device();
  geometry.conj = tensor.is_conj();
  geometry.neg = tensor.is_neg();
  return geometry;
}

at::Tensor tensor_on(const c10::Storage& storage, const Geometry& geometry) {
  const c10::DispatchKey key = geometry.device.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA;
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(key), c10::scalarTypeToTypeMeta(geometry.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(geometry.sizes, geometry.strides, geometry.offset);
  if (geometry.conj) tensor._set_conj(true);
  if (geometry.neg) tensor._set_neg(true);
  return tensor;
}

at::Tensor without_history(const at::Tensor& tensor) {
  const at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  const bool plain = tensor.defined() && tensor.layout() == c10::kStrided && !impl->is_python_dispatch();
  if (!plain) {
    const at::RecordFunctionGuard unseen(false);
    return tensor.detach();
  }
  // What detach comes to, without the way through the dispatcher.
  return at::Tensor(
      impl->shallow_copy_and_detach(impl->version_counter(), /*allow_tensor_metadata_change=*/false));
}

std::uint32_t version_of(const at::Tensor& tensor) {
  const auto& counter = tensor.unsafeGetTensorImpl()->version_counter();
  return counter.enabled() ? static_cast<std::uint32_t>(counter.current_version()) : 0;
}

void Tape::reserve(std::size_t ops_to_come, std::size_t values_to_come) {
  ops.reserve(ops_to_come);
  values.reserve(values_to_come);
  newest_.reserve(values_to_come);
}

ValueIndex Tape::find(const c10::StorageImpl* storage) const {
  const auto found = newest_.find(storage);
  return found == newest_.end() ? kNone : found->second;
}

ValueIndex Tape::add(const at::Tensor& tensor, Source source, OpIndex producer) {
  const c10::Storage& storage = tensor.storage();
  c10::StorageImpl* impl = storage.unsafeGetStorageImpl();
  TapeValue value{.source = source,
                  .producer = producer,
                  .bytes = static_cast<std::int64_t>(storage.nbytes()),
                  .allocation = Meter::id_of(storage.data_ptr()),
                  .version = version_of(tensor),
                  .counter = tensor.unsafeGetTensorImpl()->version_counter(),
                  .storage = c10::weak_intrusive_ptr<c10::StorageImpl>(storage.getWeakStorageImpl())};
  if (source == Source::lasting || source == Source::constant)
    value.lasting = tensor.grad_fn() ? tensor.detach() : tensor;
  const auto index = static_cast<ValueIndex>(values.size());
  const auto [place, fresh] = newest_.emplace(impl, index);
  if (!fresh) {
    value.overwrites = place->second;
    values[static_cast<size_t>(place->second)].overwritten_by = index;
    place->second = index;
  }
  values.push_back(std::move(value));
  return index;
}

}  // namespace worktop::adapter
