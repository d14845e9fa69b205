// Draws curves and timelines, from the numbers of a lab's figures and from what a program told of itself.
#pragma once

#include <optional>

#include "device/programs/program_log.h"
#include "lab/result.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// Nothing where the figure holds no curves.
std::optional<Picture> curve_picture(const lab::Figure& figure);
// Nothing where it holds no spans of time.
std::optional<Picture> timeline_picture(const lab::Figure& figure);

// The streams of a program on the model's clock; nothing where nothing ran.
std::optional<Picture> timeline_picture(const device::ProgramLog& log);

}  // namespace cudalab::report
