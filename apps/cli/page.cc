// worktop page: the page with its scenarios, as one HTML file.
#include "command.h"
#include "files.h"
#include "format/report_json.h"
#include "output_options.h"
#include "page_text.h"

namespace worktop::cli {
namespace {

constexpr const char* kOut = "page.html";

struct PageOptions {
  Text out;
  OutputOptions output;
};

base::Result<int> run(const PageOptions& options, Console& console) {
  options.output.apply(console);
  WORKTOP_TRY(const std::string_view page, page_text());
  const std::string path = options.out.value_or(kOut);
  WORKTOP_CHECK(write_file(path, std::string(page)));
  WORKTOP_CHECK(console.answer(console.json ? format::written_json(path, page.size())
                                            : "Written: " + path + ", to be opened in a browser.\n"));
  return kOk;
}

}  // namespace

Action add_page(CLI::App& app) {
  const auto options = std::make_shared<PageOptions>();
  add_text(app, "--out", options->out, "FILE", "write the page there (page.html)");
  options->output.add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
