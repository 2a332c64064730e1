// Who wins where, over lambda and the bandwidth at once: the ledger's map.
//
// lambda means (m, 1 - m, 1 - m). Bandwidths are spaced evenly on a logarithmic scale; in each row the places
// in lambda at which the winner changes are exact (cost/ledger_changes.h). A row has each winner in one
// piece, since costs are straight lines in lambda; a region joins its pieces over neighbouring rows.
#pragma once

#include <optional>
#include <vector>

#include "cost/ledger.h"

namespace worktop::cost {

struct MapSize {
  std::int32_t columns = 41;  // of the grid, lambda from 0 to 1
  std::int32_t rows = 31;     // of the grid
  std::int32_t fine = 3;      // exact rows between two of the grid's, both ends counted once
  double least_gb_per_s = 0.5;
  double most_gb_per_s = 128;
};

struct MapRow {
  double bandwidth_gb_per_s = 0;
  std::vector<WinnerInterval> intervals;  // over lambda
};

struct MapPlace {
  double lambda = 0;
  double bandwidth_gb_per_s = 0;
};

// A closed outline: up along the lower ends in lambda, down along the upper ones. `label` lies in the middle
// of the widest of its rows nearest to its own middle.
struct MapRegion {
  std::optional<LedgerStrategy> winner;
  std::vector<MapPlace> outline;
  MapPlace label;
};

struct WinnerMap {
  std::vector<double> lambda;
  std::vector<double> bandwidth_gb_per_s;                           // ascending
  std::vector<std::vector<std::optional<LedgerStrategy>>> winners;  // [row][column]
  std::vector<MapRow> rows;
  std::vector<MapRegion> regions;  // by their lowest row, then by lambda
};

// For the ledger's rows and limits; its own weights do not matter. Bandwidths are powers of the
// number that divides the range evenly: no library's pow, so that answers are the same everywhere.
[[nodiscard]] WinnerMap winner_map(const Ledger& ledger, const MapSize& size);

}  // namespace worktop::cost
