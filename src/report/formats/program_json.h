// What a program did as the document `cudalab.program/1`, described by docs/program.schema.json.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "device/programs/program_log.h"
#include "report/tool.h"

namespace cudalab::report {

// `logs`: a process each; with `exit_code` as cudalab ends. Ends with a line end.
std::string program_json_text(std::span<const device::ProgramLog> logs,
                              const std::vector<std::string>& arguments, int exit_code, const Tool& tool);

// What one process did: the part of that document that a result document has of a row, too.
nlohmann::ordered_json process_json(const device::ProgramLog& log, const Tool& tool);

std::string_view name_of(MistakeKind kind);  // "wrong_direction"

}  // namespace cudalab::report
