// The tape: the ops of this micro-step's forward with their arguments, where a tensor is (value, geometry)
// and nothing else. It is written anew in every step, so changed scalars, masks, routing and shapes are
// always right; the plan only says what to hold.
//
// A value is one version of a storage, between two in-place writes. Numbers are given in order of appearance:
// the same program writes the same tape.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/SmallVector.h>
#include <c10/util/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "operators.h"

namespace worktop::adapter {

using ValueIndex = std::int32_t;  // into Tape::values
using OpIndex = std::int32_t;     // into Tape::ops
inline constexpr std::int32_t kNone = -1;

// How a tensor looks at its storage.
struct Geometry {
  c10::SmallVector<std::int64_t, 5> sizes, strides;
  std::int64_t offset = 0;
  c10::ScalarType dtype = c10::ScalarType::Float;
  c10::Device device = c10::kCPU;
  bool conj = false, neg = false;
  [[nodiscard]] static Geometry of(const at::Tensor& tensor);
};

// A tensor with this geometry on this storage, without autograd history.
[[nodiscard]] at::Tensor tensor_on(const c10::Storage& storage, const Geometry& geometry);

struct TapeTensor {
  ValueIndex value = kNone;
  Geometry geometry;
};

// Where a tensor stood among the arguments: the argument itself, or an item of a list.
struct TapeArgument {
  std::int16_t argument = 0;
  std::int32_t item = kNone;
  TapeTensor tensor;
};

enum class Made : std::uint8_t { fresh, in_place, view };
struct TapeOutput {
  Made made = Made::fresh;
  std::int32_t output = 0;  // number of the tensor among the outputs, lists counted through
  TapeTensor tensor;
};

struct TapeOp {
  const OperatorFacts* facts = nullptr;
  std::vector<c10::IValue> arguments;  // a tensor's place holds None, a list of tensors its length
  std::vector<TapeArgument> tensors;
  std::vector<TapeOutput> outputs;
  bool drawn = false;             // it drew random numbers
  at::Generator drawn_from;       // the generator's state before it did; undefined: that can't be had again
  std::uint64_t node_number = 0;  // the number autograd's next node would get when it began
  std::int32_t module = kNone;    // which module was running (capture only)
  bool grad_mode = true;
  [[nodiscard]] bool replayable() const {
    return !facts->discrete && !facts->side_effect && (!drawn || drawn_from.defined());
  }
};

// Where a value that no op on the tape wrote comes from.
enum class Source : std::uint8_t {
  op,        // the tape's own
  lasting,   // a parameter, buffer or input of the step: there until the step ends, if nobody writes it
  constant,  // a number that was wrapped as a tensor: kept, a few bytes
  opaque,    // code the recorder does not see wrote it: never replayed
};

struct TapeValue {
  Source source = Source::op;
  OpIndex producer = kNone;
  ValueIndex overwrites = kNone;                      // the older version of its storage
  ValueIndex overwritten_by = kNone;                  // the newer one
  std::int64_t bytes = 0;                             // of the storage
  std::uint64_t allocation = 0;                       // the meter's number; 0: not metered
  std::uint32_t version = 0;                          // of the tensor when it was written or first seen
  c10::VariableVersion counter;                       // the tensor's own: who writes it later moves it on
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // dies with the storage; keeps its address from re-use
  at::Tensor lasting;                                 // of sources lasting and constant
  bool mutated = false;  // an op wrote over it, without a newer version that the tape could use
  // Has nobody written it but those whom the tape saw?
  [[nodiscard]] bool untouched() const {
    return !counter.enabled() || static_cast<std::uint32_t>(counter.current_version()) == version;
  }
};

class Tape {
 public:
  std::vector<TapeOp> ops;
  std::vector<TapeValue> values;

  // As many as in the step before, so that nothing is moved while it is written.
  void reserve(std::size_t ops_to_come, std::size_t values_to_come);
  // The newest value on the tensor's storage, or kNone.
  [[nodiscard]] ValueIndex find(const c10::StorageImpl* storage) const;
  // Numbers a storage that is new to the tape, or a newer version of a known one.
  ValueIndex add(const at::Tensor& tensor, Source source, OpIndex producer);

 private:
  ska::flat_hash_map<const c10::StorageImpl*, ValueIndex> newest_;
};

// The tensor without its history, on the same bytes and version counter.
[[nodiscard]] at::Tensor without_history(const at::Tensor& tensor);

// The version counter of the tensor, or 0 where it has none (inference mode).
[[nodiscard]] std::uint32_t version_of(const at::Tensor& tensor);

}  // namespace worktop::adapter
