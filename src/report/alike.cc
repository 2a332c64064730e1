#include "report/alike.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace worktop::report {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Runs of digits between dots or slashes become "*".
std::string without_numbers(std::string_view name) {
  std::string text;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("./", begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    const bool number = !part.empty() && std::ranges::all_of(part, is_digit);
    text += number ? std::string_view("*") : part;
    if (end < name.size()) text += name[end];
    begin = end + 1;
  }
  return text;
}

// `count` of the unit in which it reads best, e.g. 1.25 MiB; `step` is from one unit to the next.
std::string three_digits(std::int64_t count, std::int64_t step, std::span<const char* const> units) {
  std::int64_t unit = 1;
  std::size_t i = 0;
  while (i + 1 < units.size() && count / step >= unit) unit *= step, ++i;
  const std::int64_t whole = count / unit;
  std::int64_t scale = i == 0 || whole >= 100 ? 1 : whole >= 10 ? 10 : 100;
  // unit and scale are small enough: count < 2^53, and rest < unit.
  const std::int64_t rest = (count % unit * scale * 2 + unit) / (unit * 2);
  std::int64_t scaled = whole * scale + rest;
  std::string text = std::to_string(scaled / scale);
  if (scale > 1) {
    std::string decimals = std::to_string(scale + scaled % scale).substr(1);
    while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
    if (!decimals.empty()) text += "." + decimals;
  }
  return text + " " + units[i];
}

}  // namespace

std::string alike_name(std::string_view name, std::string_view block) {
  if (!block.empty() && name.size() > block.size() && name.starts_with(block) &&
      (name[block.size()] == '.' || name[block.size()] == '/'))
    return std::string(name.substr(block.size() + 1));
  return without_numbers(name);
}

std::string alike_name(const graph::Graph& graph, graph::ValueId value) {
  const graph::OpId producer = graph.value(value).producer;
  if (!producer.exists()) {
    const auto readers = graph.readers(value);
    const graph::BlockId block = readers.empty() ? graph::BlockId::none() : graph.op(readers.front()).block;
    return alike_name(graph.value(value).name, block.exists() ? graph.block(block).name : std::string());
  }
  const graph::Op& op = graph.op(producer);
  std::string name = alike_name(op.name, op.block.exists() ? graph.block(op.block).name : std::string());
  const auto outputs = graph.writes(producer);
  const auto place = std::ranges::find(outputs, value, &graph::Output::value) - outputs.begin();
  return place > 0 ? name + "#" + std::to_string(place) : name;
}

std::string in_words(base::Bytes bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  return three_digits(bytes.count(), 1024, kUnits);
}

std::string in_words(base::Nanoseconds ns) {
  static constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  return three_digits(ns.count(), 1000, kUnits);
}

}  // namespace worktop::report
