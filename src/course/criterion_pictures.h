// What shows best why a criterion is missed.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/measurement.h"
#include "lab/result.h"
#include "report/pictures/picture.h"

namespace cudalab::course {

// What a counter's value comes from: of the accesses of the memory and kind that its name tells, the one that
// wastes most; of equals the one that happens most often. Null where the name tells neither.
const LineAccess* worst_counted(std::string_view counter, const std::vector<LineAccess>& accesses);

// `value`: that the criterion compares, as an exercise spells it: "counters/ptx_lane_exchanges".
std::optional<report::Picture> picture_for(std::string_view value, const lab::Row& row);

}  // namespace cudalab::course
