// Which device a choice means on this machine.
#include "core/error.h"
#include "device/cuda/cuda_device.h"
#include "device/device.h"

namespace cudalab::device {
namespace {

std::unique_ptr<Device> open_any_device(const std::optional<vgpu::Card>& card) {
  if (card) return open_virtual_device({.card = card});  // a GPU stands for itself alone
  try {
    return open_cuda_device();
  } catch (const Error&) {  // no driver, no GPU, or none that gives a context: all mean that there is no
                            // usable one
    return open_virtual_device();
  }
}

}  // namespace

std::unique_ptr<Device> open_device(DeviceChoice choice, const std::optional<vgpu::Card>& card) {
  switch (choice) {
    case DeviceChoice::kGpu: return open_cuda_device();
    case DeviceChoice::kVirtual: return open_virtual_device({.card = card});
    case DeviceChoice::kAuto: break;
  }
  return open_any_device(card);
}

}  // namespace cudalab::device
