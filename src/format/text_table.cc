#include "format/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.h"

namespace worktop::format {
namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Bytes of the UTF-8 character at the start; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (begins_character(text[i])) return 0;
  return length;
}

int width_of(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, begins_character));
}

// The first `count` characters.
std::string_view characters(std::string_view text, int count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && count-- == 0) break;
  return text.substr(0, at);
}

std::string padded(const std::string& text, int width, Align align) {
  const auto spaces = static_cast<std::size_t>(std::max(0, width - width_of(text)));
  return align == Align::left ? text + std::string(spaces, ' ') : std::string(spaces, ' ') + text;
}

// What `wrapped` makes of a text that begins at this column.
std::string wrapped_cell(const std::string& text, int column) {
  const auto start = static_cast<std::size_t>(column);
  return wrapped(std::string(start, ' ') + text, column).substr(start);
}

std::string without_trailing_spaces(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    const auto c = static_cast<unsigned char>(text[i]);
    // Below space, delete, and the second set of controls, U+0080 to U+009F.
    const bool control =
        c < 0x20 || c == 0x7F || (c == 0xC2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (length == 0 || control)
      out += '?';
    else
      out += text.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  return out;
}

std::string shortened_to(std::string_view text, int width) {
  const int full = width_of(text);
  if (full <= width) return std::string(text);
  const int tail = std::max(0, (width - 2) / 2);
  const std::string_view head = characters(text, std::max(0, width - 2 - tail));
  const std::string_view most = characters(text, full - tail);
  return std::string(head) + ".." + std::string(text.substr(most.size()));
}

std::string wrapped(std::string_view text, int indent) {
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  std::string out(lead, ' ');
  text.remove_prefix(lead);
  int column = static_cast<int>(lead);
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (!first && column + 1 + width_of(word) > kTextWidth) {
      out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
    first = false;
  }
  return out + '\n';
}

void TextTable::add(std::vector<std::string> cells, char mark) {
  ensure(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = shortened_to(printable(cells[i]), columns_[i].most);
  rows_.push_back({mark, std::move(cells)});
}

std::string TextTable::print() const {
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int width = width_of(columns_[i].head);
    for (const Row& row : rows_) width = std::max(width, width_of(row.cells[i]));
    widths.push_back(width);
  }
  std::string line = "  ";
  for (std::size_t i = 0; i < columns_.size(); ++i)
    line += (i ? "  " : "") + padded(columns_[i].head, widths[i], columns_[i].align);
  std::string out = without_trailing_spaces(line) + '\n';
  for (const Row& row : rows_) {
    line = std::string(1, row.mark) + ' ';
    for (std::size_t i = 0; i < columns_.size(); ++i)
      line += (i ? "  " : "") + (columns_[i].wrap ? "" : padded(row.cells[i], widths[i], columns_[i].align));
    if (columns_.back().wrap)
      out += line + wrapped_cell(row.cells.back(), width_of(line));
    else
      out += without_trailing_spaces(line) + '\n';
  }
  return out;
}

std::string ColumnUnit::print(std::int64_t amount) const {
  if (amount == 0) return "-";
  const double number = static_cast<double>(amount) / static_cast<double>(size);
  const double magnitude = number < 0 ? -number : number;
  const int decimals = size == 1 || magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", number, decimals);
}

ColumnUnit unit_for(base::Bytes largest) {
  if (largest >= base::kGiB) return {"GiB", base::kGiB.count()};
  if (largest >= base::kMiB) return {"MiB", base::kMiB.count()};
  if (largest >= base::kKiB) return {"KiB", base::kKiB.count()};
  return {"B", 1};
}

ColumnUnit unit_for(base::Nanoseconds largest) {
  if (largest >= 100 * base::kSecond) return {"s", base::kSecond.count()};
  if (largest >= base::kMillisecond) return {"ms", base::kMillisecond.count()};
  if (largest >= base::Nanoseconds{1000}) return {"us", 1000};
  return {"ns", 1};
}

std::string signed_percent(double share) {
  const std::string text = fmt::format("{:+.1f} %", 100 * share);
  if (text.size() > 8) return fmt::format("{:+.0f} %", 100 * share);
  return text == "-0.0 %" ? "+0.0 %" : text;
}

std::string percent(double share) {
  return share > 0 && share < 0.005 ? "<1 %" : fmt::format("{:.0f} %", 100 * share);
}

}  // namespace worktop::format
