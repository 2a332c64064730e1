#include "format/opened_file.h"

#include <gtest/gtest.h>

#include "format/page_question.h"

namespace worktop::format {
namespace {

constexpr std::string_view kChecked = R"({"ok": true, "model": "GPT", "pairs": 3, "trouble": [], "rows": [
  {"name": "plain", "peak_bytes": 900, "step_ns": 100, "differs": [], "remark": ""},
  {"name": "promised", "peak_bytes": 500, "step_ns": 130},
  {"name": "planned", "peak_bytes": 500, "step_ns": 131, "extra_low_ns": -5, "extra_high_ns": 44,
   "moved_bytes": 7, "differs": ["w"], "remark": "r"}]})";

TEST(OpenedFile, MeasurementsHaveThePromiseBesideThePlannedStep) {
  const OpenedFile file = open_file("check.json", kChecked).value();
  EXPECT_EQ(file.kind, FileKind::measurements);
  EXPECT_EQ(file.title, "GPT");
  ASSERT_EQ(file.measured.size(), 2U);
  const Measured& planned = file.measured[1];
  EXPECT_EQ(planned.promised_peak, base::Bytes{500});
  EXPECT_EQ(planned.promised_step_ns, base::Nanoseconds{130});
  EXPECT_EQ(planned.step_low_ns, base::Nanoseconds{95});  // over the plain step of 100
  EXPECT_EQ(planned.step_high_ns, base::Nanoseconds{144});
  EXPECT_EQ(planned.same_gradients, false);
  EXPECT_EQ(file.measured[0].same_gradients, true);
  EXPECT_FALSE(file.measured[0].promised_peak.has_value());
}

TEST(OpenedFile, SaysWhatItIs) {
  const auto kind_of = [](std::string_view text) { return open_file("f.json", text).value().kind; };
  EXPECT_EQ(kind_of(R"({"format": "worktop-state", "version": 1, "anything": [1]})"), FileKind::state);
  EXPECT_EQ(kind_of(R"({"format": "worktop-report", "version": 1, "files": [{"name": "a", "text": "{}"}]})"),
            FileKind::report);
  EXPECT_EQ(kind_of(R"({"format": "worktop-graph", "version": 1, "graph": {"name": "g", "origin": "trace",
      "values": [{"name": "x", "kind": "input"}], "ops": [{"name": "f", "phase": "forward", "reads": [0], "writes": []}]}})"),
            FileKind::graph);
}

TEST(OpenedFile, RefusesWhatItDoesNotKnow) {
  for (const std::string_view text :
       {"", "[]", "{}", R"({"format": "worktop-plan"})", R"({"format": "other"})",
        R"({"format": "worktop-report", "version": 2, "files": []})"})
    EXPECT_FALSE(open_file("f.json", text).has_value()) << text;
}

TEST(PageQuestion, CanonicalTextIsTheSameForEqualQuestions) {
  const auto canonical_of = [](std::string_view text) {
    const JsonDocument document = JsonDocument::parse(text).value();
    return canonical(document.root());
  };
  EXPECT_EQ(canonical_of(R"({ "a": [1, 2.50, null, true], "b": "\u00e4" })"),
            canonical_of("{\"a\":[1,2.5,null,true],\"b\":\"\xc3\xa4\"}"));
  EXPECT_NE(canonical_of(R"({"a": 1})"), canonical_of(R"({"a": "1"})"));
}

}  // namespace
}  // namespace worktop::format
