// A result as the document `cudalab.result/1`, described by docs/result.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/result.h"
#include "report/tool.h"

namespace cudalab::report {

// What a kernel printed is in it as UTF-8.
nlohmann::ordered_json json_document(const lab::Result& result, const Tool& tool);

// The document as text. Keys always stand in the same order. A number that is not finite becomes null, with
// the reason under KEY_reason. Ends with a line end.
std::string json_text(const lab::Result& result, const Tool& tool);

}  // namespace cudalab::report
