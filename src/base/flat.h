// Rows of different lengths in two flat arrays (compressed rows): what a graph's edges are stored in.
//
// FlatRows<RowId, T> is built row by row, in id order, and never changed afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace worktop::base {

template <class RowId, class T>
class FlatRows {
 public:
  FlatRows() : starts_{0} {}

  RowId push_row(std::span<const T> row) {
    items_.insert(items_.end(), row.begin(), row.end());
    starts_.push_back(static_cast<std::int64_t>(items_.size()));
    return RowId{rows() - 1};
  }
  // Appends to the row that is being built; `end_row` closes it.
  void push_item(T item) { items_.push_back(item); }
  RowId end_row() {
    starts_.push_back(static_cast<std::int64_t>(items_.size()));
    return RowId{rows() - 1};
  }

  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  [[nodiscard]] std::int64_t items() const { return static_cast<std::int64_t>(items_.size()); }
  [[nodiscard]] std::span<const T> operator[](RowId row) const {
    const auto first = static_cast<std::size_t>(starts_[row.at()]);
    const auto last = static_cast<std::size_t>(starts_[row.at() + 1]);
    return std::span<const T>(items_).subspan(first, last - first);
  }
  friend bool operator==(const FlatRows&, const FlatRows&) = default;

 private:
  std::vector<T> items_;
  std::vector<std::int64_t> starts_;
};

}  // namespace worktop::base
