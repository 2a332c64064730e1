// What a certificate says, and the door to whoever makes it: handed in with the question, so that the rooms
// that only ask do not carry the maker (the page does not). solver/milp.h has one.
#pragma once

#include "solver/portfolio.h"

namespace worktop::solver {

struct Certificate {
  // The faster of the plan that was known and the best that was found, judged and predicted like any other.
  std::optional<Planned> best;
  Nanoseconds bound_ns{0};  // no covered plan is faster; at least the bound that was known
  bool optimal = false;     // `best` is as fast as a covered plan can be
  bool infeasible = false;  // no covered plan fits
  bool too_large = false;   // not tried
};

class Certifier {
 public:
  Certifier() = default;
  Certifier(const Certifier&) = delete;
  Certifier& operator=(const Certifier&) = delete;
  virtual ~Certifier() = default;
  // `known` fits and copies nothing; `known_bound_ns` holds for every legal plan.
  [[nodiscard]] virtual Certificate certify(const Problem& problem, const std::optional<Planned>& known,
                                            Nanoseconds known_bound_ns) = 0;
};

}  // namespace worktop::solver
