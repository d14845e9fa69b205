// Implements Device on a CUDA GPU, through the driver, which is loaded at run time.
#pragma once

#include <memory>

#include "device/device.h"

namespace cudalab::device {

// Opens the driver's first GPU (CUDA_VISIBLE_DEVICES selects it). Throws Error(kUnavailable) if there is
// none.
std::unique_ptr<Device> open_cuda_device();

}  // namespace cudalab::device
