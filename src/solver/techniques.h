// The techniques of the portfolio that can be left out, so that a bench can say what each of them earns
// (docs/solvers.md). Nobody else leaves one out.
#pragma once

#include <array>
#include <cstdint>

namespace worktop::solver {

enum class Technique : std::uint8_t {
  mixes,               // of two strategies over the layers, as starts (solver/entrant)
  nested_checkpoints,  // two levels of checkpoints as starts (solver/starts)
  leanest_start,       // the leanest plan as a start (solver/best_within)
  cut_start,           // what the cut keeps as a start (solver/best_within)
  children,            // of what annealings found (solver/search)
  branching,           // branch and bound on the cut: for the bound, and for ending early (solver/mincut)
  trips_for_replays,   // in the place of the dearest replays; with links (solver/offload)
};
inline constexpr std::array kTechniques = {
    Technique::mixes,    Technique::nested_checkpoints, Technique::leanest_start,    Technique::cut_start,
    Technique::children, Technique::branching,          Technique::trips_for_replays};

[[nodiscard]] constexpr const char* name_of(Technique technique) {
  switch (technique) {
    case Technique::mixes:
      return "mixes";
    case Technique::nested_checkpoints:
      return "nested checkpoints";
    case Technique::leanest_start:
      return "leanest start";
    case Technique::cut_start:
      return "cut as start";
    case Technique::children:
      return "children";
    case Technique::branching:
      return "branching";
    case Technique::trips_for_replays:
      return "trips for replays";
  }
  return "";
}

class Techniques {
 public:
  constexpr Techniques() = default;
  constexpr Techniques(Technique one) : bits_(bit(one)) {}  // NOLINT: one of them is a set, too
  [[nodiscard]] constexpr bool has(Technique t) const { return (bits_ & bit(t)) != 0; }
  friend constexpr Techniques operator|(Techniques a, Techniques b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  static constexpr std::uint32_t bit(Technique t) { return std::uint32_t{1} << static_cast<unsigned>(t); }
  std::uint32_t bits_ = 0;
};

}  // namespace worktop::solver
