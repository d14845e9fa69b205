// What is wrong with a launch, in words: arguments that do not fit, limits exceeded, and the faults a card
// reports.
#pragma once

#include <optional>
#include <string>

#include "core/measurement.h"
#include "device/device.h"

namespace cudalab::device {

// Throws Error(kUsage) unless the arguments are as many and as large as the kernel's parameters.
void check_arguments(const Launch& launch);

// The hazard of a launch that a card refused with the error `cuda_error`.
Hazard refused_launch(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error);

// The hazard of a kernel that ended with the error `cuda_error`; nothing where that is not a kernel's doing.
std::optional<Hazard> kernel_fault(const Launch& launch, const std::string& cuda_error);

}  // namespace cudalab::device
