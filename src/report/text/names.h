// The words that reports use for values: of enumerations, and of options.
#pragma once

#include <string>
#include <string_view>

#include "lab/result.h"

namespace cudalab::report {

std::string_view name_of(lab::Verdict verdict);  // "pass", "fail", "not_assessed"
std::string_view name_of(lab::RowKind kind);     // "cpu", "kernel", …
std::string_view name_of(HazardKind kind);       // "out_of_bounds", …
std::string_view name_of(MemorySpace space);     // "global", …
std::string_view name_of(AccessKind kind);       // "load", …
std::string_view name_of(OccupancyLimit limit);  // "registers", …

std::string shown(const lab::OptionValue& value);  // "on", "32", "0.5", "f32"

}  // namespace cudalab::report
