// Any text: the cursor either refuses it or can be walked, printed and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ensure.h"
#include "format/json_cursor.h"
#include "format/json_writer.h"

namespace {

using namespace worktop;

// Copies a value as far as the getters can read it; nesting is limited by the reader.
void copy(format::JsonCursor from, format::JsonWriter& to) {
  if (const auto object = from.object()) {
    to.begin_object();
    for (const auto [key, value] : *object) {
      ensure(object->find(key).has_value());
      copy(value, (to.key(key), to));
    }
    to.end();
  } else if (const auto array = from.array()) {
    to.begin_array();
    for (const format::JsonCursor item : *array) copy(item, to);
    to.end();
  } else if (const auto text = from.string()) {
    to.value(*text);
  } else if (const auto integer = from.integer(INT64_MIN, INT64_MAX)) {
    to.value(*integer);
  } else if (const auto number = from.number(-1e300, 1e300)) {
    to.value(*number);
  } else if (const auto truth = from.boolean()) {
    to.value(*truth);
  } else {
    ensure(!from.error("").where.empty());
    to.null();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = format::JsonDocument::parse(text);
  if (!document) {
    ensure(!document.error().what.empty() && !document.error().where.empty());
    return 0;
  }
  format::JsonWriter once;
  copy(document->root(), once);
  const std::string written = std::move(once).take();
  const auto again = format::JsonDocument::parse(written);
  ensure(again.has_value());
  format::JsonWriter twice;
  copy(again->root(), twice);
  ensure(std::move(twice).take() == written);
  return 0;
}
