// Predicts the time of a launch without one of its faults: sets the cost of the fault to its minimum, and
// computes all resources again.
#pragma once

#include <span>
#include <vector>

#include "core/prediction.h"
#include "vgpu/time/gather_features.h"

namespace cudalab::vgpu {

// One entry for each fault that the launch has, the shortest time first. `prediction` is that of the launch
// as it is. Empty for launches whose blocks wait for each other: another timing of the blocks would change
// which block waits for which.
std::vector<TimeWithout> times_without_faults(const Launch& launch, const Prediction& prediction,
                                              const LaunchCosts& costs, const LaunchFeatures& features,
                                              std::span<AccessTrace* const> traces);

}  // namespace cudalab::vgpu
