// A result as the document `cudalab.result/1`, described by docs/result.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "lab/options.h"
#include "report/tool.h"

namespace cudalab::report {

// What a kernel printed is in it as UTF-8.
nlohmann::ordered_json json_document(const lab::Result& result, const Tool& tool);

// The document as text. Keys always stand in the same order. A number that is not finite becomes null, with
// the reason under KEY_reason. Ends with a line end.
std::string json_text(const lab::Result& result, const Tool& tool);

// What stands in a document for an option of a lab; nullopt where its kind takes no such value. The range is
// checked by who sets it (lab::Options).
std::optional<lab::OptionValue> option_value(const lab::OptionSpec& spec, const nlohmann::json& value);

}  // namespace cudalab::report
