// The features of a launch by name: as they are recorded and read back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vgpu/time/launch_features.h"

namespace cudalab::vgpu {

using NamedNumbers = std::vector<std::pair<std::string, double>>;
NamedNumbers named(const LaunchFeatures& features);
// Names that it does not know are passed over.
LaunchFeatures features_from(const NamedNumbers& numbers);

}  // namespace cudalab::vgpu
