// Reading JSON that nobody vouches for: one pass, no exceptions, no recursion, bounded memory.
//
//   WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
//   WORKTOP_TRY(const JsonObject machine, document.root().object());
//   WORKTOP_CHECK(machine.only({"name", "tiers"}));
//   WORKTOP_TRY(const Bytes usable, machine.quantity<Bytes>("usable_bytes"));
//
// The text must outlive the document and everything read from it: nodes point into it.
//
// Always: the whole text is one valid JSON value (RFC 8259, valid UTF-8, numbers finite), nested no deeper
// than kDeepest, no object has two equal keys. What is wrong is an Error of code input whose `where` is
// "<line>:<column> <path>", such as "12:7 tiers[1].capacity" (columns count bytes, both from 1), so that a
// caller who knows the file writes its name and a colon in front.
//
// Memory: 8 bytes a node (keys are nodes too) in chunks that are never copied, plus the text of strings with
// escapes. A node takes at least two characters ("0,"), so the worst case is four times the text, and while
// parsing two copies of the longest string.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace worktop::format {

inline constexpr std::int64_t kLargestText = std::int64_t{512} << 20;
inline constexpr std::int32_t kDeepest = 64;

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

class JsonObject;
class JsonArray;

namespace json_internal {

// What stands at `place` in the text tells the kind. `link`: of an object or array, the node after its last
// descendant; of a string, its length, or kEscaped and its place among the unescaped strings.
struct Node {
  std::uint32_t place = 0;
  std::uint32_t link = 0;
};

class Nodes {
 public:
  static constexpr std::uint32_t kChunk = 1 << 12;
  void push_back(Node node) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Node[]>(kChunk));
    chunks_.back()[size_++ % kChunk] = node;
  }
  [[nodiscard]] Node& operator[](std::uint32_t at) { return chunks_[at / kChunk][at % kChunk]; }
  [[nodiscard]] const Node& operator[](std::uint32_t at) const { return chunks_[at / kChunk][at % kChunk]; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::uint32_t size_ = 0;
};

struct Tree {
  std::string_view text;
  Nodes nodes;
  std::string unescaped;  // of each string with escapes: four bytes of length, then the text

  [[nodiscard]] JsonKind kind(std::uint32_t node) const;
  [[nodiscard]] std::string_view string(std::uint32_t node) const;
  // The node after this one and everything inside it.
  [[nodiscard]] std::uint32_t after(std::uint32_t node) const;
  [[nodiscard]] std::string path_to(std::uint32_t node) const;
  [[nodiscard]] base::Error error_at(std::uint32_t node, std::string what, std::string hint) const;
};

}  // namespace json_internal

// One value of a document. Getters refuse a value of another kind, naming both.
class JsonCursor {
 public:
  [[nodiscard]] JsonKind kind() const { return tree_->kind(node_); }
  [[nodiscard]] bool is_null() const { return kind() == JsonKind::null; }

  [[nodiscard]] base::Result<JsonObject> object() const;
  [[nodiscard]] base::Result<JsonArray> array() const;
  [[nodiscard]] base::Result<std::string_view> string() const;
  [[nodiscard]] base::Result<bool> boolean() const;
  // A whole number written without fraction or exponent.
  [[nodiscard]] base::Result<std::int64_t> integer(std::int64_t least, std::int64_t largest) const;
  // Any number, as the nearest double.
  [[nodiscard]] base::Result<double> number(double least, double largest) const;
  // Bytes, Nanoseconds or Flops: from 0 to Q::largest().
  template <class Q>
  [[nodiscard]] base::Result<Q> quantity() const {
    WORKTOP_TRY(const std::int64_t count, integer(0, Q::largest().count()));
    return Q{count};
  }

  // An error about this value, for rules of the reader's own.
  [[nodiscard]] base::Error error(std::string_view what, std::string_view hint = {}) const;
  [[nodiscard]] std::unexpected<base::Error> fail(std::string_view what, std::string_view hint = {}) const;

 private:
  friend class JsonDocument;
  friend class JsonObject;
  friend class JsonArray;
  JsonCursor(const json_internal::Tree* tree, std::uint32_t node) : tree_(tree), node_(node) {}
  [[nodiscard]] base::Error wrong_kind(std::string_view wanted) const;
  [[nodiscard]] std::string_view number_text() const;

  const json_internal::Tree* tree_;
  std::uint32_t node_;
};

// for (JsonCursor tier : tiers) ...
class JsonArray {
 public:
  struct Iterator {
    const json_internal::Tree* tree;
    std::uint32_t node;
    JsonCursor operator*() const { return {tree, node}; }
    Iterator& operator++() { return node = tree->after(node), *this; }
    bool operator==(const Iterator& other) const { return node == other.node; }
  };
  [[nodiscard]] Iterator begin() const { return {at_.tree_, at_.node_ + 1}; }
  [[nodiscard]] Iterator end() const { return {at_.tree_, at_.tree_->after(at_.node_)}; }
  [[nodiscard]] std::int64_t count() const;  // walks the array
  [[nodiscard]] const JsonCursor& cursor() const { return at_; }

 private:
  friend class JsonCursor;
  explicit JsonArray(JsonCursor at) : at_(at) {}
  JsonCursor at_;
};

class JsonObject {
 public:
  struct Member {
    std::string_view key;
    JsonCursor value;
  };
  struct Iterator {
    const json_internal::Tree* tree;
    std::uint32_t node;  // of the key
    Member operator*() const { return {tree->string(node), {tree, node + 1}}; }
    Iterator& operator++() { return node = tree->after(node + 1), *this; }
    bool operator==(const Iterator& other) const { return node == other.node; }
  };
  [[nodiscard]] Iterator begin() const { return {at_.tree_, at_.node_ + 1}; }
  [[nodiscard]] Iterator end() const { return {at_.tree_, at_.tree_->after(at_.node_)}; }
  [[nodiscard]] const JsonCursor& cursor() const { return at_; }

  // nullopt: no such key. `find_set` also answers nullopt where the value is null.
  [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const;
  [[nodiscard]] std::optional<JsonCursor> find_set(std::string_view key) const;
  [[nodiscard]] base::Result<JsonCursor> at(std::string_view key) const;

  // Refuses any other key, offering the nearest known one. For our own formats.
  [[nodiscard]] base::Status only(std::initializer_list<std::string_view> known) const;
  // Our own formats begin with {"format": name, "version": version}; another version is refused.
  [[nodiscard]] base::Status is_format(std::string_view name, std::int64_t version) const;

  // The value of a key that must be there.
  [[nodiscard]] base::Result<JsonObject> object(std::string_view key) const;
  [[nodiscard]] base::Result<JsonArray> array(std::string_view key) const;
  [[nodiscard]] base::Result<std::string> string(std::string_view key) const;
  [[nodiscard]] base::Result<bool> boolean(std::string_view key) const;
  [[nodiscard]] base::Result<std::int64_t> integer(std::string_view key, std::int64_t least,
                                                   std::int64_t largest) const;
  [[nodiscard]] base::Result<double> number(std::string_view key, double least, double largest) const;
  template <class Q>
  [[nodiscard]] base::Result<Q> quantity(std::string_view key) const {
    WORKTOP_TRY(const JsonCursor value, at(key));
    return value.quantity<Q>();
  }

  // The value of a key that may be absent or null.
  [[nodiscard]] base::Result<std::string> string_or(std::string_view key, std::string_view otherwise) const;
  [[nodiscard]] base::Result<bool> boolean_or(std::string_view key, bool otherwise) const;
  [[nodiscard]] base::Result<std::int64_t> integer_or(std::string_view key, std::int64_t otherwise,
                                                      std::int64_t least, std::int64_t largest) const;
  [[nodiscard]] base::Result<double> number_or(std::string_view key, double otherwise, double least,
                                               double largest) const;
  template <class Q>
  [[nodiscard]] base::Result<Q> quantity_or(std::string_view key, Q otherwise) const {
    const auto value = find_set(key);
    return value ? value->quantity<Q>() : otherwise;
  }

 private:
  friend class JsonCursor;
  explicit JsonObject(JsonCursor at) : at_(at) {}
  JsonCursor at_;
};

class JsonDocument {
 public:
  [[nodiscard]] static base::Result<JsonDocument> parse(std::string_view text);
  [[nodiscard]] JsonCursor root() const { return {tree_.get(), 0}; }

 private:
  JsonDocument() : tree_(std::make_unique<json_internal::Tree>()) {}
  std::unique_ptr<json_internal::Tree> tree_;  // cursors stay valid when the document moves
};

}  // namespace worktop::format
