// Check results in other forms: compiler-style lines for editors, JSON for scripts, and pictures of missed
// criteria.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.h"
#include "course/check.h"
#include "course/repair/repair.h"
#include "lab/result.h"
#include "report/pictures/picture.h"
#include "report/tool.h"

namespace cudalab::course {

// The access that wastes the most, among the accesses of the memory space and kind that the counter's name
// contains; among equals, the most frequent one. Null if the name contains neither.
const LineAccess* worst_counted(std::string_view counter, const std::vector<LineAccess>& accesses);

// The picture that best shows why a criterion is missed. `value` is the path that the criterion compares:
// "counters/ptx_lane_exchanges".
std::optional<report::Picture> picture_for(std::string_view value, const lab::Row& row);

// "FILE:LINE:COLUMN: error: …" for missed parts, with notes on the other access of a race and on what to try,
// and the compiler's warnings. `source` is the file's text, from which columns are computed.
std::string gcc_text(const ExerciseCheck& check, std::string_view source, const std::string& file,
                     const Wording& wording = {});

// "FILE:LINE:COLUMN: note: …" at the line of a repair.
std::string gcc_repair_text(const Repair& repair, std::string_view source, const Wording& wording = {});

// One check as a JSON object in one line.
std::string check_json(const Exercise& exercise, const ExerciseCheck& check, const std::string& file);
// A repair as a JSON object in one line, without the edit.
std::string repair_json(const Repair& repair);
// The check with the repair added as its member "repair".
std::string with_repair(const std::string& check, const std::string& repair);
// A document `cudalab.check/1` with these checks, described by docs/check.schema.json. Ends with a newline.
std::string checks_json_text(const std::vector<std::string>& checks, const report::Tool& tool);

}  // namespace cudalab::course
