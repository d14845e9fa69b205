// The Device on a CUDA GPU, through the driver that is found at run time.
#pragma once

#include <memory>

#include "device/device.h"

namespace cudalab::device {

// The first GPU that the driver shows (CUDA_VISIBLE_DEVICES chooses). Throws Error(kUnavailable) where there
// is none.
std::unique_ptr<Device> open_cuda_device();

}  // namespace cudalab::device
