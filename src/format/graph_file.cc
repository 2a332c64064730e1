#include "format/graph_file.h"

#include "format/graph_json.h"
#include "format/json_cursor.h"
#include "format/json_names.h"
#include "format/step_trace.h"
#include "format/tensor_dag.h"

namespace worktop::format {

base::Result<GraphFile> read_graph_file(std::string_view text) {
  using Reader = base::Result<GraphFile> (*)(const JsonObject&);
  constexpr NamedValue<Reader> kReaders[] = {{kGraphFormat, read_graph_json},
                                             {kTensorDagFormat, read_tensor_dag},
                                             {kStepTraceFormat, read_step_trace}};
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject file, document.root().object());
  WORKTOP_TRY(const JsonCursor format, file.at("format"));
  WORKTOP_TRY(const Reader reader, value_in(kReaders, format));
  return reader(file);
}

}  // namespace worktop::format
