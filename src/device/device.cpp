// The part of device/device.h that is the same for every device: a buffer gives its memory back.
#include "device/device.h"

namespace cudalab::device {

Buffer::~Buffer() {
  if (device_) device_->free(address_);
}

}  // namespace cudalab::device
