#include "plan/holding.h"

#include <algorithm>
#include <bit>

#include "base/ensure.h"

namespace worktop::plan {

ProgramWindow program_window(const Graph& graph, ValueId value) {
  const graph::Value& v = graph.value(value);
  ProgramWindow window;
  window.first = v.producer.exists() ? v.producer.index() + 1 : 0;
  window.last = v.held_until.exists() ? v.held_until.index() : graph.op_count();
  if (const OpId overwriter = graph.overwritten_by(value); overwriter.exists())
    window.last = std::min(window.last, overwriter.index());
  return window;
}

Holding::Holding(const Graph& graph)
    : boundaries_(graph.op_count() + 1),
      words_((boundaries_ + 63) / 64),
      bits_(static_cast<std::size_t>(graph.value_count()) * static_cast<std::size_t>(words_), 0) {
  windows_.reserve(graph.value_count());
  for (ValueId v : base::ids<ValueId>(graph.value_count())) windows_.push_back(program_window(graph, v));
}

void Holding::fill(ValueId v, std::int32_t first, std::int32_t last, bool bit) {
  if (last < first) return;
  debug_ensure(first >= 0 && last < boundaries_);
  const std::size_t start = row(v);
  for (std::int32_t w = first >> 6; w <= last >> 6; ++w) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (w == first >> 6) mask &= ~std::uint64_t{0} << (first & 63);
    if (w == last >> 6) mask &= ~std::uint64_t{0} >> (63 - (last & 63));
    std::uint64_t& bits = bits_[start + static_cast<std::size_t>(w)];
    bits = bit ? bits | mask : bits & ~mask;
  }
}

std::int32_t Holding::last_with(ValueId v, std::int32_t boundary, bool bit) const {
  const std::size_t start = row(v);
  for (std::int32_t w = boundary >> 6; w >= 0; --w) {
    std::uint64_t bits = bits_[start + static_cast<std::size_t>(w)];
    if (!bit) bits = ~bits;
    if (w == boundary >> 6) bits &= ~std::uint64_t{0} >> (63 - (boundary & 63));
    if (bits != 0) return w * 64 + 63 - std::countl_zero(bits);
  }
  return -1;
}

std::int32_t Holding::first_with(ValueId v, std::int32_t boundary, bool bit) const {
  if (boundary >= boundaries_) return boundaries_;
  const std::size_t start = row(v);
  for (std::int32_t w = boundary >> 6; w < words_; ++w) {
    std::uint64_t bits = bits_[start + static_cast<std::size_t>(w)];
    if (!bit) bits = ~bits;
    if (w == boundary >> 6) bits &= ~std::uint64_t{0} << (boundary & 63);
    if (bits != 0) return std::min(boundaries_, w * 64 + std::countr_zero(bits));
  }
  return boundaries_;
}

}  // namespace worktop::plan
