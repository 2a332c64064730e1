#include "format/reason_json.h"

#include <string>

namespace worktop::format {

std::string_view name_of(report::Because because) {
  using enum report::Because;
  switch (because) {
    case must_keep:
      return "must_keep";
    case cannot_recompute:
      return "cannot_recompute";
    case gone_at_the_peak:
      return "gone_at_the_peak";
    case not_needed:
      return "not_needed";
    case poor_exchange:
      return "poor_exchange";
    case cheaper_recompute:
      return "cheaper_recompute";
    case no_lower_tier:
      return "no_lower_tier";
    case busy_link:
      return "busy_link";
    case hides:
      return "hides";
    case waits:
      return "waits";
  }
  return "not_needed";
}

void write_reasons(JsonWriter& w, std::span<const report::Reason> reasons) {
  w.key("reasons").begin_array();
  for (const report::Reason& reason : reasons) {
    w.begin_object_row();
    w.member("label", reason.label);
    w.member("fate", plan::name_of(reason.fate));
    w.member("because", name_of(reason.because));
    w.member("count", reason.count);
    w.member("bytes", reason.bytes);
    w.key("recompute_ns").value(reason.recompute_ns);
    w.key("reload_ns").value(reason.reload_ns);
    w.member("text", reason.text);
    w.end();
  }
  w.end();
}

}  // namespace worktop::format
