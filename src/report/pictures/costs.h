// Draws where time and memory go: a source with its cost in the margin, limits and stages as bars, the
// roofline, and how full a multiprocessor is.
#pragma once

#include <optional>
#include <string_view>

#include "lab/result.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// The lines that the kernel executed and those between them; nothing where nothing was counted. `source`: the
// text of row.source.
std::optional<Picture> source_picture(const lab::Row& row, std::string_view source);

// How much of the predicted time each resource would take alone; nothing where no time is predicted.
std::optional<Picture> limits_picture(const lab::Row& row);

// A multiprocessor's places for warps, filled block by block; nothing where no time is predicted.
std::optional<Picture> occupancy_picture(const lab::Row& row);

// The time of each stage: measured, predicted, recorded; nothing where there are no times.
std::optional<Picture> stages_picture(const lab::Result& result);

// All stages under both ceilings of the card; nothing where report/text/limits.h has none.
std::optional<Picture> roofline_picture(const lab::Result& result);

}  // namespace cudalab::report
