// Indices that do not mix: an OpId cannot be used where a ValueId is meant.
//
// Ids are dense (0 .. n-1) and index flat arrays. `none()` is the id of nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace worktop::base {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::int32_t index) : index_(index) {}
  [[nodiscard]] static constexpr Id none() { return Id{}; }

  [[nodiscard]] constexpr std::int32_t index() const { return index_; }
  [[nodiscard]] constexpr std::size_t at() const { return static_cast<std::size_t>(index_); }
  [[nodiscard]] constexpr bool exists() const { return index_ >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
  constexpr Id& operator++() { return ++index_, *this; }

 private:
  std::int32_t index_ = -1;
};

// An array indexed by one kind of id.
template <class IdT, class T>
class IdVector {
 public:
  using Reference = typename std::vector<T>::reference;
  using ConstReference = typename std::vector<T>::const_reference;

  IdVector() = default;
  explicit IdVector(std::int32_t size, const T& fill = T{}) : items_(static_cast<std::size_t>(size), fill) {}

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(items_.size()); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  Reference operator[](IdT id) { return items_[id.at()]; }
  ConstReference operator[](IdT id) const { return items_[id.at()]; }
  IdT push_back(T item) {
    items_.push_back(std::move(item));
    return IdT{size() - 1};
  }
  void reserve(std::int32_t n) { items_.reserve(static_cast<std::size_t>(n)); }
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto end() { return items_.end(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  [[nodiscard]] std::span<const T> span() const { return items_; }
  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

// for (OpId op : ids<OpId>(n)) ...
template <class IdT>
class IdRange {
 public:
  constexpr IdRange(std::int32_t first, std::int32_t last) : first_(first), last_(last) {}
  struct Iterator {
    std::int32_t index;
    constexpr IdT operator*() const { return IdT{index}; }
    constexpr Iterator& operator++() { return ++index, *this; }
    constexpr bool operator==(const Iterator&) const = default;
  };
  [[nodiscard]] constexpr Iterator begin() const { return {first_}; }
  [[nodiscard]] constexpr Iterator end() const { return {last_}; }

 private:
  std::int32_t first_, last_;
};
template <class IdT>
[[nodiscard]] constexpr IdRange<IdT> ids(std::int32_t count) {
  return {0, count};
}

}  // namespace worktop::base
