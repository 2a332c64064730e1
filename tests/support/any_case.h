// RapidCheck's door to random cases: seeds are drawn and printed, and a failing case is shrunk by lowering
// its size, never its seed.
//
//   rc::prop("search is never better than exhaustive", [] { const CaseId id = *any_case(1, 5); ... });
#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "support/random_graph.h"

namespace worktop::test {

inline std::ostream& operator<<(std::ostream& out, const CaseId& id) {
  return out << "{.seed = " << id.seed << "ULL, .size = " << id.size << "}";
}

inline rc::Gen<CaseId> any_case(std::int32_t least, std::int32_t most) {
  return rc::gen::build<CaseId>(
      rc::gen::set(&CaseId::seed, rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>())),
      rc::gen::set(&CaseId::size, rc::gen::inRange<std::int32_t>(least, most + 1)));
}

}  // namespace worktop::test
