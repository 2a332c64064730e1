#include "page_text.h"

#ifdef WORKTOP_PAGE_FILE
// The bytes of the file, with a symbol at each end.
asm(R"(
  .section .rodata
  .global worktop_page_begin
  .global worktop_page_end
  .hidden worktop_page_begin
  .hidden worktop_page_end
worktop_page_begin:
  .incbin ")" WORKTOP_PAGE_FILE R"("
worktop_page_end:
  .byte 0
  .previous
)");
extern "C" const char worktop_page_begin[], worktop_page_end[];
#endif

namespace worktop::cli {

base::Result<std::string_view> page_text() {
#ifdef WORKTOP_PAGE_FILE
  return std::string_view(worktop_page_begin, worktop_page_end);
#else
  return base::fail(base::ErrorCode::environment, "this program was built without the page", "WORKTOP_PAGE",
                    "run tools/setup and build again");
#endif
}

base::Result<std::string> page_with(std::string_view report) {
  WORKTOP_TRY(const std::string_view page, page_text());
  constexpr std::string_view kPlace = "id=\"report\">\n";
  const std::size_t at = page.find(kPlace);
  if (at == page.npos)
    return base::fail(base::ErrorCode::environment, "the page has no place for a report", "WORKTOP_PAGE",
                      "build the program again");
  std::string whole(page.substr(0, at + kPlace.size()));
  for (const char c : report) {  // an element of script ends at "</script", wherever that stands
    if (c == '<')
      whole += "\\u003c";
    else
      whole += c;
  }
  whole += page.substr(at + kPlace.size());
  return whole;
}

}  // namespace worktop::cli
