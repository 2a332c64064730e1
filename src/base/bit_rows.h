// A matrix of bits with long rows, for "from .. to .." questions: which boundaries a value is held across,
// which stages touch it. Columns are counted from 0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace worktop::base {

template <class RowId>
class BitRows {
 public:
  BitRows() = default;
  BitRows(std::int32_t rows, std::int32_t columns)
      : columns_(columns),
        words_((columns + 63) / 64),
        bits_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(words_), 0) {}

  [[nodiscard]] std::int32_t columns() const { return columns_; }
  [[nodiscard]] bool get(RowId row, std::int32_t column) const {
    return (bits_[start(row) + static_cast<std::size_t>(column >> 6)] >> (column & 63)) & 1U;
  }

  // Sets columns first .. last, both included, to `bit`; nothing if last < first.
  void fill(RowId row, std::int32_t first, std::int32_t last, bool bit) {
    for (std::int32_t w = first >> 6; first <= last && w <= last >> 6; ++w) {
      std::uint64_t mask = kAll;
      if (w == first >> 6) mask &= kAll << (first & 63);
      if (w == last >> 6) mask &= kAll >> (63 - (last & 63));
      std::uint64_t& bits = bits_[start(row) + static_cast<std::size_t>(w)];
      bits = bit ? bits | mask : bits & ~mask;
    }
  }

  // Makes the row what it is in `from`, which has the same shape.
  void copy_row(const BitRows& from, RowId row) {
    for (std::size_t i = start(row); i < start(row) + static_cast<std::size_t>(words_); ++i)
      bits_[i] = from.bits_[i];
  }

  // The last column <= `from` that holds `bit`, or -1.
  [[nodiscard]] std::int32_t last_with(RowId row, std::int32_t from, bool bit) const {
    if (from < 0) return -1;
    for (std::int32_t w = from >> 6; w >= 0; --w) {
      std::uint64_t bits = word(row, w, bit);
      if (w == from >> 6) bits &= kAll >> (63 - (from & 63));
      if (bits != 0) return w * 64 + 63 - std::countl_zero(bits);
    }
    return -1;
  }
  // The first column >= `from` that holds `bit`, or columns().
  [[nodiscard]] std::int32_t first_with(RowId row, std::int32_t from, bool bit) const {
    for (std::int32_t w = from >> 6; from < columns_ && w < words_; ++w) {
      std::uint64_t bits = word(row, w, bit);
      if (w == from >> 6) bits &= kAll << (from & 63);
      if (bits != 0) return std::min(columns_, w * 64 + std::countr_zero(bits));
    }
    return columns_;
  }

  friend bool operator==(const BitRows&, const BitRows&) = default;

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  [[nodiscard]] std::size_t start(RowId row) const { return row.at() * static_cast<std::size_t>(words_); }
  [[nodiscard]] std::uint64_t word(RowId row, std::int32_t w, bool bit) const {
    const std::uint64_t bits = bits_[start(row) + static_cast<std::size_t>(w)];
    return bit ? bits : ~bits;
  }

  std::int32_t columns_ = 0;
  std::int32_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace worktop::base
