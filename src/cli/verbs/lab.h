// The verb `cudalab LAB`: runs a lab and shows its result as a table or JSON, beside what was once recorded
// on an H200.
#pragma once

#include <string>

#include "lab/result.h"

namespace cudalab::cli {

// What was once measured on an H200, beside what is run now.

// Gives the rows the times of the recording of that lab, `expected/h200/LAB.json` beside the labs, by their
// names; and the result the sentence that says at which size they were taken. Throws Error(kUsage) where the
// lab has no recording.
void add_recorded_times(lab::Result& result, const std::string& lab);

// The same from the text of a recording.
void add_recorded_times(lab::Result& result, const std::string& text, const std::string& file);

}  // namespace cudalab::cli
