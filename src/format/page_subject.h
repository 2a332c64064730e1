// What a question of the page is about: kitchens, known models on known machines, opened files.
// apps/page/contract.ts has the JSON, type Subject.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "advisor/kitchen.h"
#include "format/opened_file.h"

namespace worktop::format {

struct PageSubject {
  std::optional<advisor::Subject> subject;  // none: a kitchen too large to be played
  std::string why_not;                      // then
  std::optional<cost::Kitchen> kitchen;     // as given; others are derived
  std::optional<plan::Plan> plan;           // that came with the file
};

// Where opened files are, by id; null: there is none of this id.
class OpenedFiles {
 public:
  OpenedFiles() = default;
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;
  virtual ~OpenedFiles() = default;
  [[nodiscard]] virtual const OpenedFile* find(std::string_view id) const = 0;
};

[[nodiscard]] base::Result<PageSubject> read_page_subject(const JsonObject& object, const OpenedFiles& files);

}  // namespace worktop::format
