// From text to the node tree of json_cursor.h. The grammar is nlohmann-json's event parser, which neither
// throws (JSON_NOEXCEPTION, and every error goes through parse_error) nor recurses; here its events become
// nodes, and limits and duplicate keys are refused. Nothing else in the house includes nlohmann-json.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "format/json_cursor.h"
#include "format/json_text.h"

namespace worktop::format {
namespace {

using json_internal::Node;
using json_internal::Tree;
using nlohmann::json;

// Reads characters and tells how far the parser has come: events do not carry positions.
struct CountingIterator {
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() { return *reached = ++at, *this; }
  CountingIterator operator++(int) {
    const CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

class Builder {
 public:
  explicit Builder(Tree& tree) : tree_(tree), reached_(tree.text.data()), token_end_(tree.text.data()) {
    if (tree.text.starts_with("\xEF\xBB\xBF")) token_end_ += 3;
  }

  base::Status run() {
    const char* const first = tree_.text.data();
    const char* const last = first + tree_.text.size();
    const bool good =
        json::sax_parse(CountingIterator{first, &reached_}, CountingIterator{last, &reached_}, this);
    if (error_) return std::unexpected(*std::move(error_));
    if (!good) return std::unexpected(failure("is not valid JSON"));
    return {};
  }

  // --- what the parser calls; false stops it
  bool null() { return push_word(); }
  bool boolean(bool) { return push_word(); }
  bool number_integer(std::int64_t) { return push_number(); }
  bool number_unsigned(std::uint64_t) { return push_number(); }
  bool number_float(double, const std::string&) { return push_number(); }
  bool string(std::string& decoded) { return push_string(decoded); }
  bool key(std::string& decoded) { return push_string(decoded); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_array() { return close(); }
  bool end_object() { return has_no_duplicates(open_.back()) && close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& problem) {
    std::string_view message = problem.what();
    if (const auto colon = message.find(": ");
        message.find("parse error at line") != message.npos && colon != message.npos)
      message.remove_prefix(colon + 2);
    else if (const auto bracket = message.find("] "); bracket != message.npos)
      message.remove_prefix(bracket + 2);
    error_ = failure("is not valid JSON: " + std::string(message.substr(0, kLongestMessage)));
    return false;
  }

 private:
  static constexpr std::size_t kLongestMessage = 200;

  // The start of the token that the parser has just read: only separators lie between it and the one before.
  const char* token_start() const {
    const char* at = token_end_;
    while (at < reached_ &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == ',' || *at == ':'))
      ++at;
    return at;
  }
  void push(const char* start, std::uint32_t link) {
    tree_.nodes.push_back({static_cast<std::uint32_t>(start - tree_.text.data()), link});
  }
  bool push_word() {
    push(token_start(), 0);
    token_end_ = reached_;
    return true;
  }
  bool push_number() {
    const char* const start = token_start();
    push(start, 0);
    // The parser has looked one character beyond the number.
    token_end_ =
        start + number_length(tree_.text.substr(static_cast<std::size_t>(start - tree_.text.data())));
    return true;
  }
  bool push_string(const std::string& decoded) {
    const char* const start = token_start();
    const auto raw = static_cast<std::size_t>(reached_ - start) - 2;
    token_end_ = reached_;
    if (raw == decoded.size()) return push(start, static_cast<std::uint32_t>(raw)), true;
    push(start, kEscaped | static_cast<std::uint32_t>(tree_.unescaped.size()));
    const auto size = static_cast<std::uint32_t>(decoded.size());
    char bytes[sizeof size];
    std::memcpy(bytes, &size, sizeof size);
    tree_.unescaped.append(bytes, sizeof size).append(decoded);
    return true;
  }
  bool open() {
    open_.push_back(tree_.nodes.size());
    push(token_start(), 0);
    token_end_ = reached_;
    if (open_.size() <= static_cast<std::size_t>(kDeepest)) return true;
    error_ = failure("is nested deeper than " + std::to_string(kDeepest) + " levels");
    return false;
  }
  bool close() {
    tree_.nodes[open_.back()].link = tree_.nodes.size();
    open_.pop_back();
    token_end_ = reached_;
    return true;
  }

  bool has_no_duplicates(std::uint32_t object) {
    keys_.clear();
    for (std::uint32_t at = object + 1; at < tree_.nodes.size(); at = tree_.after(at + 1))
      keys_.push_back(at);
    const auto less = [this](std::uint32_t a, std::uint32_t b) {
      const int order = tree_.string(a).compare(tree_.string(b));
      return order != 0 ? order < 0 : a < b;
    };
    std::sort(keys_.begin(), keys_.end(), less);
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      if (tree_.string(keys_[i - 1]) != tree_.string(keys_[i])) continue;
      close_all();
      error_ = tree_.error_at(keys_[i], "the key '" + shortened(tree_.string(keys_[i])) + "' is there twice",
                              "keep one of the two");
      return false;
    }
    return true;
  }

  // So that paths can be told of a document that ends too early.
  void close_all() {
    for (const std::uint32_t node : open_) tree_.nodes[node].link = tree_.nodes.size();
    open_.clear();
  }
  base::Error failure(std::string what) {
    close_all();
    const std::string path = tree_.nodes.size() > 0 ? tree_.path_to(tree_.nodes.size() - 1) : std::string();
    std::string where = line_and_column(tree_.text, static_cast<std::size_t>(reached_ - tree_.text.data()));
    if (!path.empty()) where += " after " + path;
    return {base::ErrorCode::input, std::move(what), std::move(where), {}};
  }

  Tree& tree_;
  const char* reached_;    // one beyond the last character that the parser has taken
  const char* token_end_;  // one beyond the token before
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> keys_;
  std::optional<base::Error> error_;
};

}  // namespace

base::Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  if (static_cast<std::uint64_t>(text.size()) > static_cast<std::uint64_t>(kLargestText))
    return base::fail(base::ErrorCode::input, "is larger than 512 MiB", {},
                      "this is not a file for this program");
  if (text.empty()) return base::fail(base::ErrorCode::input, "is empty, not JSON", "1:1");
  JsonDocument document;
  document.tree_->text = text;
  WORKTOP_CHECK(Builder(*document.tree_).run());
  return document;
}

}  // namespace worktop::format
