// Names people type: slugs, and the nearest known name when one is misspelt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace worktop::base {

// "Llama-3.1-8B" -> "llama-3.1-8b", "A10G-24GB (AWS g5)" -> "a10g-24gb-aws-g5": lower case, every run of
// characters other than letters, digits, '.' and '_' becomes one '-', none at the ends.
[[nodiscard]] std::string slug(std::string_view name);

// The known name with the least edit distance to `typed` (case ignored; ties: the first), if that is at most
// a third of the length of `typed`, rounded up.
[[nodiscard]] std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known);

// Finds `typed` among `known`: exactly, else as an unambiguous prefix. The error (code usage) says what is
// known: the names that the prefix leaves open, or the nearest one. `kind` is the noun of the message:
// "machine", "model".
[[nodiscard]] Result<std::string> resolve_name(std::string_view kind, std::string_view typed,
                                               std::span<const std::string> known);

}  // namespace worktop::base
