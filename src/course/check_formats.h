// What a check found, for programs: editors, which take lines as a compiler writes them, and scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/check.h"
#include "report/tool.h"

namespace cudalab::course {

// "FILE:LINE:COLUMN: error: …" for what was missed, with notes on the other side of a race and on what to
// try; the compiler's warnings likewise. Empty where nothing is to be said. `source`: the file's text, for
// the columns.
std::string gcc_text(const ExerciseCheck& check, std::string_view source, const std::string& file,
                     const Wording& wording = {});

// One check as a JSON object in a line; the document of several.
std::string check_json(const Exercise& exercise, const ExerciseCheck& check, const std::string& file);
// `cudalab.check/1`, described by docs/check.schema.json. Ends with a line end.
std::string checks_json_text(const std::vector<std::string>& checks, const report::Tool& tool);

}  // namespace cudalab::course
