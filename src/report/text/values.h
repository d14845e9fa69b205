// Formats values for the reader: words for enumerations, and numbers with three digits and a unit.
#pragma once

#include <string>
#include <string_view>

#include "core/diagnostics/message.h"
#include "lab/result.h"

namespace cudalab::report {

// The words in reports for enumerations and options.

std::string_view name_of(lab::Verdict verdict);  // "pass", "fail", "not_assessed"
std::string_view name_of(lab::RowKind kind);     // "cpu", "kernel", …
std::string_view name_of(HazardKind kind);       // "out_of_bounds", …
std::string_view name_of(MemorySpace space);     // "global", …
std::string_view name_of(AccessKind kind);       // "load", …
std::string_view name_of(OccupancyLimit limit);  // "registers", …

std::string shown(const lab::OptionValue& value);  // "on", "32", "0.5", "f32"

Message worded(AccessKind kind);    // "load", …
Message worded(MemorySpace space);  // "global memory", …

// Numbers with three significant digits and a suitable unit.

std::string significant(double value, int digits = 3);  // "1.93", "41", "1050", "12300"
std::string three_digits(double value);     // the same, but keeps trailing zeros, for columns: "41.0"
std::string duration(double milliseconds);  // "12.3 us", "1.93 ms", "1.20 s"
std::string memory(double bytes);           // "228 KiB", "139 GiB"
std::string distance(double bytes);         // "4 KB" (of 1024 bytes), "132 bytes"
std::string percent(double value);          // "13 %", "<1 %", "100 %"

// The same as `memory` and `distance`; a unit that is a word is translated.
Argument worded_memory(double bytes);
Argument worded_distance(double bytes);

}  // namespace cudalab::report
