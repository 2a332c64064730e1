// What must be known of an operator of torch to record it and to run it again?
//
// Found once per operator, by schema and tags where they say it, by a short list where they don't.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <vector>

namespace at {
struct RecordFunction;
}

namespace worktop::adapter {

struct OperatorFacts {
  std::optional<c10::OperatorHandle> handle;  // none: a mark that is no operator; composite
  std::string name;        // "aten::native_dropout", with the overload after a dot if there is one
  bool view = false;       // shows a storage in another way and computes nothing, by its schema
  bool composite = false;  // made of other operators: those are recorded, not this one
  bool in_place = false;   // everything it gives back, if anything, is an argument that it wrote
  bool autocast = false;   // autocast gives it other arguments: inside autocast what it calls is recorded
  bool seeded = false;     // draws from a generator (tag nondeterministic_seeded)
  bool fused_attention = false;  // seeded by its tag, but not where its dropout is 0
  bool discrete = false;         // top-k, sort, argmax, unique: a tie may fall differently
  bool uninitialised = false;    // empty and its kin: what it writes has no meaning yet
  bool constant = false;         // zeros, full and their kin
  bool side_effect = false;      // never run again: writes what nobody could restore, waits, asks other ranks
  int dropout_argument = -1;     // of fused attention
  int generator_argument = -1;   // where a generator can be passed
  // Arguments that it writes, by schema or by the short list of hidden mutations.
  std::vector<bool> writes;
  // Arguments to leave out when it runs again: running statistics, which it would update a second time.
  std::vector<int> leave_out;
};

// The operator that is being called. The reference stays valid for ever.
[[nodiscard]] const OperatorFacts& facts_of(const at::RecordFunction& call);

}  // namespace worktop::adapter
