// The memory a CUDA device has given out, and what became of it when a kernel took the context down.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/cuda_resources.h"

namespace cudalab::device {

// A fault frees all memory of a context at once, but the buffers that stood for it live on. Their addresses
// are not given out again before their owners have let go of them, so that a stale buffer never reaches
// another's memory.
class CudaAllocations {
 public:
  explicit CudaAllocations(ContextPointer context) : context_(std::move(context)) {}

  // Throws Error(kUnavailable) with the sizes.
  std::uint64_t allocate(const std::string& name, std::size_t bytes);
  void free(std::uint64_t address);
  // Throws Error(kUnavailable) where the address belongs to memory that was lost.
  void check(std::uint64_t address) const;
  // All of it is gone; from now on memory comes from `fresh`.
  void lose_all(ContextPointer fresh);

 private:
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  // begin -> end
  bool overlaps_lost(std::uint64_t begin, std::uint64_t end) const;
  CUdeviceptr allocate_anywhere(const std::string& name, std::size_t bytes);

  ContextPointer context_;
  Ranges live_, lost_;
  std::vector<CUdeviceptr> set_aside_;  // allocated where stale buffers point, and held back
};

}  // namespace cudalab::device
