// What a program did as the document `cudalab.program/1`, described by docs/program.schema.json.
#pragma once

#include <span>
#include <string>

#include "device/programs/program_log.h"
#include "report/tool.h"

namespace cudalab::report {

// `logs`: a process each; with `exit_code` as cudalab ends. Ends with a line end.
std::string program_json_text(std::span<const device::ProgramLog> logs,
                              const std::vector<std::string>& arguments, int exit_code, const Tool& tool);

}  // namespace cudalab::report
