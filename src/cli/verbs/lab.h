// The verb `cudalab LAB`: runs a lab and prints its result as a table or JSON, optionally with times recorded
// on an H200.
#pragma once

#include <string>

#include "lab/result.h"

namespace cudalab::cli {

// Adds times recorded on an H200 to the result of a run.

// Adds the recorded times of `expected/h200/LAB.json`, next to the labs folder, to the rows of the same
// names, and to the result a sentence with the recording's size. Throws Error(kUsage) if the lab has no
// recording.
void add_recorded_times(lab::Result& result, const std::string& lab);

// The same, from the text of a recording.
void add_recorded_times(lab::Result& result, const std::string& text, const std::string& file);

}  // namespace cudalab::cli
