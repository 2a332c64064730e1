#include "format/report_json.h"

#include <utility>

#include "format/json_writer.h"

namespace worktop::format {

std::string report_json(const Report& report) {
  JsonWriter w;
  w.begin_object().member("format", kReportFormat).member("version", 1);
  w.member("title", report.title);
  w.key("subject").null();
  w.key("limits").begin_object();
  w.key("memory_bytes").value(report.memory_limit);
  w.key("time_ns").value(report.time_limit);
  w.end();
  w.member("minimize", "time");
  w.key("files").begin_array();
  for (const NamedText& file : report.files)
    w.begin_object().member("name", file.name).member("text", file.text).end();
  w.end();
  w.end();
  return std::move(w).take();
}

std::string written_json(const std::string& path, std::size_t bytes) {
  JsonWriter w(1);
  w.begin_object().member("format", "worktop-answer-written").member("version", 1);
  w.member("path", path).member("bytes", bytes).end();
  return std::move(w).take();
}

}  // namespace worktop::format
