// Enumerations in JSON: a table of names, both ways. A name that is not in the table is an error that offers
// the nearest one.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "base/names.h"
#include "format/json_cursor.h"

namespace worktop::format {

template <class E>
struct NamedValue {
  std::string_view name;
  E value;
};

template <class E, std::size_t N>
[[nodiscard]] std::string_view name_in(const NamedValue<E> (&table)[N], E value) {
  for (const NamedValue<E>& row : table)
    if (row.value == value) return row.name;
  ensure(false);
  return {};
}

template <class E, std::size_t N>
[[nodiscard]] base::Result<E> value_in(const NamedValue<E> (&table)[N], JsonCursor at) {
  WORKTOP_TRY(const std::string_view name, at.string());
  for (const NamedValue<E>& row : table)
    if (row.name == name) return row.value;
  std::vector<std::string> known;
  for (const NamedValue<E>& row : table) known.emplace_back(row.name);
  const auto close = base::nearest(name, known);
  return at.fail(
      fmt::format("'{}' is not known here", name.substr(0, 40)),
      close ? fmt::format("did you mean '{}'?", *close) : fmt::format("known: {}", fmt::join(known, ", ")));
}

template <class E, std::size_t N>
[[nodiscard]] base::Result<E> value_or(const NamedValue<E> (&table)[N], const JsonObject& object,
                                       std::string_view key, E otherwise) {
  const auto at = object.find_set(key);
  return at ? value_in(table, *at) : otherwise;
}

}  // namespace worktop::format
