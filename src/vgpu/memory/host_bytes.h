// Memory of the host for what the virtual GPU holds, straight from the system where it is much.
#pragma once

#include <cstddef>
#include <memory>

namespace cudalab::vgpu {

struct FreeBytes {
  std::size_t bytes;  // 0: it is somebody else's
  void operator()(std::byte* memory) const;
};
using HostBytes = std::unique_ptr<std::byte[], FreeBytes>;

// Zeroed memory; much of it comes straight from the system, so that pages nobody touches cost nothing.
HostBytes allocate_host(std::size_t bytes);

}  // namespace cudalab::vgpu
