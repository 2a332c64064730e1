// Plain text for people: tables whose columns line up, paragraphs that end at column 80, numbers in one unit
// a column.
//
// Text may come from a file that nobody vouches for: what a terminal would act on (control characters) is
// shown as "?". Widths count UTF-8 characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace worktop::format {

inline constexpr int kTextWidth = 80;

[[nodiscard]] std::string printable(std::string_view text);
// At most `width` characters; what is cut off in the middle becomes "..": names differ at both ends.
[[nodiscard]] std::string shortened_to(std::string_view text, int width);
// Broken at spaces; lines after the first begin with `indent` spaces; ends with a newline.
[[nodiscard]] std::string wrapped(std::string_view text, int indent = 0);

enum class Align : std::uint8_t { left, right };
struct TextColumn {
  std::string head;
  Align align = Align::right;
  int most = kTextWidth;  // longer cells are shortened
  bool wrap = false;      // the last column alone: long cells go on in the next line, up to column 80
};

// Rows begin with two characters of which the first may mark one: "* ".
class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  // As many cells as columns.
  void add(std::vector<std::string> cells, char mark = ' ');
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string print() const;

 private:
  struct Row {
    char mark;
    std::vector<std::string> cells;
  };
  std::vector<TextColumn> columns_;
  std::vector<Row> rows_;
};

// One unit for a whole column, chosen by its largest number.
struct ColumnUnit {
  std::string name;  // "GiB", "ms"
  std::int64_t size = 1;
  // Three significant digits, but never fewer than the whole part has; "-" for nothing.
  [[nodiscard]] std::string print(std::int64_t amount) const;
};
[[nodiscard]] ColumnUnit unit_for(base::Bytes largest);
[[nodiscard]] ColumnUnit unit_for(base::Nanoseconds largest);

// "+3.2 %", "-0.4 %", "+0.0 %", "+7338 %"
[[nodiscard]] std::string signed_percent(double share);
// "83 %", "<1 %"
[[nodiscard]] std::string percent(double share);

}  // namespace worktop::format
