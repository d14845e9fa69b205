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

// What a program did as the document `cudalab.program/1`, described by docs/program.schema.json.

// `logs`: a process each; with `exit_code` as cudalab ends. Ends with a line end.
std::string program_json_text(std::span<const device::ProgramLog> logs,
                              const std::vector<std::string>& arguments, int exit_code, const Tool& tool);

// What one process did: the part of that document that a result document has of a row, too.
nlohmann::ordered_json process_json(const device::ProgramLog& log, const Tool& tool);

std::string_view name_of(MistakeKind kind);                                 // "wrong_direction"
std::optional<CopyDirection> copy_direction_called(std::string_view name);  // "to_device"

// A result as the document `cudalab.result/1`, described by docs/result.schema.json.

// What a kernel printed is in it as UTF-8.
nlohmann::ordered_json json_document(const lab::Result& result, const Tool& tool);

// The document as text. Keys always stand in the same order. A number that is not finite becomes null, with
// the reason under KEY_reason. Ends with a line end.
std::string json_text(const lab::Result& result, const Tool& tool);

// What stands in a document for an option of a lab; nullopt where its kind takes no such value. The range is
// checked by who sets it (lab::Options).
std::optional<lab::OptionValue> option_value(const lab::OptionSpec& spec, const nlohmann::json& value);

}  // namespace cudalab::report
