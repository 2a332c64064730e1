// A matrix of bits with long rows, for "from .. to .." questions: which boundaries a value is held across,
// which stages touch it. Columns are counted from 0.
//
// A row is its runs of set bits, in order. Rows here have few runs however long they are, so a matrix takes
// memory by what is in it: with words of bits a step of 30,000 ops took a hundred megabytes for each holding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace worktop::base {

template <class RowId>
class BitRows {
 public:
  BitRows() = default;
  BitRows(std::int32_t rows, std::int32_t columns)
      : columns_(columns), rows_(static_cast<std::size_t>(rows)) {}

  [[nodiscard]] std::int32_t columns() const { return columns_; }
  [[nodiscard]] bool get(RowId row, std::int32_t column) const {
    const Run* run = reaching(row, column);
    return run && run->first <= column;
  }

  // Sets columns first .. last, both included, to `bit`; nothing if last < first.
  void fill(RowId row, std::int32_t first, std::int32_t last, bool bit) {
    if (last < first) return;
    std::vector<Run>& runs = rows_[row.at()];
    // Runs before `from` end before the change (when setting, also before its neighbour).
    const std::int32_t margin = bit ? 1 : 0;
    auto from = runs.begin();
    while (from != runs.end() && from->last < first - margin) ++from;
    auto to = from;
    while (to != runs.end() && to->first <= last + margin) ++to;
    if (from == to) {
      if (bit) runs.insert(from, {first, last});
      return;
    }
    const Run left{from->first, first - 1}, right{last + 1, std::prev(to)->last};
    if (bit) {
      *from = {std::min(from->first, first), std::max(right.last, last)};
      runs.erase(from + 1, to);
      return;
    }
    const bool keeps_left = left.first <= left.last, keeps_right = right.first <= right.last;
    if (keeps_left && keeps_right && to - from == 1) {  // one run becomes two
      *from = right;
      runs.insert(from, left);
      return;
    }
    if (keeps_left) *from++ = left;
    if (keeps_right) *--to = right;
    runs.erase(from, to);
  }

  // Makes the row what it is in `from`, which has the same shape.
  void copy_row(const BitRows& from, RowId row) { rows_[row.at()] = from.rows_[row.at()]; }

  // The last column <= `from` that holds `bit`, or -1.
  [[nodiscard]] std::int32_t last_with(RowId row, std::int32_t from, bool bit) const {
    if (from < 0) return -1;
    const std::vector<Run>& runs = rows_[row.at()];
    auto after = runs.end();  // the first run that begins after `from`
    while (after != runs.begin() && std::prev(after)->first > from) --after;
    if (after == runs.begin()) return bit ? -1 : from;
    const Run& run = *std::prev(after);
    if (bit) return std::min(from, run.last);
    return run.last >= from ? run.first - 1 : from;
  }
  // The first column >= `from` that holds `bit`, or columns().
  [[nodiscard]] std::int32_t first_with(RowId row, std::int32_t from, bool bit) const {
    if (from >= columns_) return columns_;
    const Run* run = reaching(row, from);
    if (bit) return run ? std::max(from, run->first) : columns_;
    return run && run->first <= from ? run->last + 1 : from;
  }

  friend bool operator==(const BitRows&, const BitRows&) = default;

 private:
  struct Run {
    std::int32_t first = 0, last = -1;
    friend bool operator==(const Run&, const Run&) = default;
  };
  // The first run that does not end before `column`, or null.
  [[nodiscard]] const Run* reaching(RowId row, std::int32_t column) const {
    for (const Run& run : rows_[row.at()])
      if (run.last >= column) return &run;
    return nullptr;
  }

  std::int32_t columns_ = 0;
  std::vector<std::vector<Run>> rows_;  // of each row: apart, in order
};

}  // namespace worktop::base
