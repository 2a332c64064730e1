#include "format/explain_json.h"

#include "format/answer_parts.h"
#include "format/reason_json.h"

namespace worktop::format {
std::string explain_json(const advisor::ExplainAnswer& answer) {
  JsonWriter w(1);
  w.begin_object();
  w.member("format", "worktop-answer-explain");
  w.member("version", 1);
  w.member("graph", answer.graph_name);
  w.member("machine", answer.machine_name);
  w.member("made_by", answer.made_by);
  w.member("peak_bytes", answer.peak);
  w.member("step_ns", answer.step_ns);
  write_residents(w, "residents", answer.residents);
  w.member("peak_op", answer.peak_op);
  write_groups(w, "at_peak", answer.at_peak);
  write_reasons(w, answer.reasons);
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
