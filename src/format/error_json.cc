#include "format/error_json.h"

#include "format/json_writer.h"
#include "format/text_table.h"

namespace worktop::format {

std::string error_json(const base::Error& error) {
  JsonWriter w(2);
  w.begin_object();
  w.key("error").begin_object();
  w.member("code", name_of(error.code));
  w.member("what", error.what);
  w.member("where", error.where);
  w.member("hint", error.hint);
  w.end();
  w.end();
  return std::move(w).take();
}

std::string error_text(const base::Error& error) {
  std::string text = wrapped("error: " + printable(error.what), 7);
  if (!error.where.empty()) text += wrapped("  where: " + printable(error.where), 9);
  if (!error.hint.empty()) text += wrapped("  hint:  " + printable(error.hint), 9);
  return text;
}

}  // namespace worktop::format
