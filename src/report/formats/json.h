// Results as JSON: the documents `cudalab.result/1` and `cudalab.program/1` (docs/*.schema.json).
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "device/programs/program_log.h"
#include "lab/options.h"
#include "report/tool.h"

namespace cudalab::report {

// A program's log as the document `cudalab.program/1`, described by docs/program.schema.json.

// `logs`: one per process. `exit_code`: cudalab's own. Ends with a line end.
std::string program_json_text(std::span<const device::ProgramLog> logs,
                              const std::vector<std::string>& arguments, int exit_code, const Tool& tool);

// One process: the part of that document that the row of a result document also contains.
nlohmann::ordered_json process_json(const device::ProgramLog& log, const Tool& tool);

std::string_view name_of(MistakeKind kind);                                 // "wrong_direction"
std::optional<CopyDirection> copy_direction_called(std::string_view name);  // "to_device"

// A result as the document `cudalab.result/1`, described by docs/result.schema.json.

// Text that a kernel printed is stored as UTF-8.
nlohmann::ordered_json json_document(const lab::Result& result, const Tool& tool);

// The document as text. Keys have a fixed order. A number that is not finite becomes null, with the reason in
// KEY_reason. Ends with a line end.
std::string json_text(const lab::Result& result, const Tool& tool);

// The value of a lab's option in a document; nullopt if its kind does not allow that value. The caller checks
// the range (lab::Options).
std::optional<lab::OptionValue> option_value(const lab::OptionSpec& spec, const nlohmann::json& value);

}  // namespace cudalab::report
