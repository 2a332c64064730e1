// Element types of tensors, with their size.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace worktop::base {

enum class Dtype : std::uint8_t { fp32, tf32, fp16, bf16, fp8, int8, uint8, boolean, int32, int64 };

[[nodiscard]] constexpr Bytes size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp32:
    case Dtype::tf32:
    case Dtype::int32:
      return Bytes{4};
    case Dtype::fp16:
    case Dtype::bf16:
      return Bytes{2};
    case Dtype::fp8:
    case Dtype::int8:
    case Dtype::uint8:
    case Dtype::boolean:
      return Bytes{1};
    case Dtype::int64:
      return Bytes{8};
  }
  return Bytes{0};
}

[[nodiscard]] constexpr const char* name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp32:
      return "fp32";
    case Dtype::tf32:
      return "tf32";
    case Dtype::fp16:
      return "fp16";
    case Dtype::bf16:
      return "bf16";
    case Dtype::fp8:
      return "fp8";
    case Dtype::int8:
      return "int8";
    case Dtype::uint8:
      return "uint8";
    case Dtype::boolean:
      return "bool";
    case Dtype::int32:
      return "int32";
    case Dtype::int64:
      return "int64";
  }
  return "?";
}

}  // namespace worktop::base
