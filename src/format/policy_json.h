// Policies as JSON: what to do with activations by name, block or kind (plan/policy.h), to be moved between
// graphs.
//
//   {"format": "worktop-policy", "version": 1, "name": "selective",
//    "rules": [{"block_kind": "decoder_layer", "op_kind": "linear", "fate": "keep"}, ...],
//    "otherwise": "recompute", "replay": "hold"}
//
// A rule may have "value", "block", "block_kind", "op_kind"; each that is there must match, the first rule
// that matches decides. Fates: keep, recompute, offload_host, offload_disk. Replay: hold, redo. "rules",
// "otherwise" (keep) and "replay" (hold) may be left out.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "format/json_writer.h"
#include "plan/policy.h"

namespace worktop::format {

inline constexpr std::string_view kPolicyFormat = "worktop-policy";

[[nodiscard]] base::Result<plan::Policy> read_policy_file(std::string_view text);
[[nodiscard]] std::string write_policy_file(const plan::Policy& policy);
void write_policy(JsonWriter& writer, const plan::Policy& policy);

}  // namespace worktop::format
