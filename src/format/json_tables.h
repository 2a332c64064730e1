// Spellings that several formats share.
#pragma once

#include "base/dtype.h"
#include "format/json_names.h"
#include "machine/machine.h"
#include "plan/plan.h"

namespace worktop::format {

inline constexpr NamedValue<base::Dtype> kDtypes[] = {
    {"fp32", base::Dtype::fp32},   {"tf32", base::Dtype::tf32},    {"fp16", base::Dtype::fp16},
    {"bf16", base::Dtype::bf16},   {"fp8", base::Dtype::fp8},      {"int8", base::Dtype::int8},
    {"uint8", base::Dtype::uint8}, {"bool", base::Dtype::boolean}, {"int32", base::Dtype::int32},
    {"int64", base::Dtype::int64}};

inline constexpr NamedValue<machine::Tier> kTiers[] = {
    {"device", machine::Tier::device}, {"host", machine::Tier::host}, {"disk", machine::Tier::disk}};

inline constexpr NamedValue<plan::Fate> kFates[] = {{"keep", plan::Fate::keep},
                                                    {"recompute", plan::Fate::recompute},
                                                    {"offload_host", plan::Fate::offload_host},
                                                    {"offload_disk", plan::Fate::offload_disk}};

}  // namespace worktop::format
