// What a check found, in other forms: lines for editors, documents for scripts, and pictures of missed
// criteria.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.h"
#include "course/check.h"
#include "course/repair.h"
#include "lab/result.h"
#include "report/pictures/picture.h"
#include "report/tool.h"

namespace cudalab::course {

// What shows best why a criterion is missed.

// What a counter's value comes from: of the accesses of the memory and kind that its name tells, the one that
// wastes most; of equals the one that happens most often. Null where the name tells neither.
const LineAccess* worst_counted(std::string_view counter, const std::vector<LineAccess>& accesses);

// `value`: that the criterion compares, as an exercise spells it: "counters/ptx_lane_exchanges".
std::optional<report::Picture> picture_for(std::string_view value, const lab::Row& row);

// What a check found, for programs: editors, which take lines as a compiler writes them, and scripts.

// "FILE:LINE:COLUMN: error: …" for what was missed, with notes on the other side of a race and on what to
// try; the compiler's warnings likewise. Empty where nothing is to be said. `source`: the file's text, for
// the columns.
std::string gcc_text(const ExerciseCheck& check, std::string_view source, const std::string& file,
                     const Wording& wording = {});

// "FILE:LINE:COLUMN: note: …", where to look.
std::string gcc_repair_text(const Repair& repair, std::string_view source, const Wording& wording = {});

// One check as a JSON object in a line; the document of several.
std::string check_json(const Exercise& exercise, const ExerciseCheck& check, const std::string& file);
// A repair as a JSON object in a line, without its edit.
std::string repair_json(const Repair& repair);
// The check with the repair as its member "repair".
std::string with_repair(const std::string& check, const std::string& repair);
// `cudalab.check/1`, described by docs/check.schema.json. Ends with a line end.
std::string checks_json_text(const std::vector<std::string>& checks, const report::Tool& tool);

}  // namespace cudalab::course
