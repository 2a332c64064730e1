// Answers of this room that are still to be written.
#include "advisor/advisor.h"

namespace worktop::advisor {
namespace {
std::unexpected<base::Error> unfinished() {
  return base::fail(base::ErrorCode::environment, "this question has no answer yet");
}
}  // namespace
base::Result<PlanAnswer> plan(const Subject&, const Question&) {
  return unfinished();
}
base::Result<FrontierAnswer> frontier(const Subject&, const Question&, std::int32_t) {
  return unfinished();
}
base::Result<CompareAnswer> compare(const Subject&, const Question&) {
  return unfinished();
}
base::Result<ExplainAnswer> explain(const Subject&, const plan::Plan&) {
  return unfinished();
}
base::Result<LargestAnswer> largest(const model::Decoder&, const model::Settings&, const machine::Machine&,
                                    const Question&, Grow) {
  return unfinished();
}
}  // namespace worktop::advisor
