// How long a launch would take on a card: the resource that it asks most of decides.
#pragma once

#include <optional>

#include "core/measurement.h"
#include "core/prediction.h"
#include "vgpu/card.h"

namespace cudalab::vgpu {

// `launched`: what the interpreter counted. Nothing where it was not counted, did not run to its end, or does
// not fit the card.
std::optional<Prediction> predict(const Card& card, const Occupancy& occupancy, const LaunchResult& launched);

}  // namespace cudalab::vgpu
