// Bookkeeping of a CUDA device's memory.
#include "device/cuda_allocations.h"

#include <algorithm>

namespace cudalab::device {

std::uint64_t CudaAllocations::allocate(const std::string& name, std::size_t bytes) {
  for (;;) {
    const CUdeviceptr address = allocate_anywhere(name, bytes);
    if (!overlaps_lost(address, address + bytes)) {
      live_[address] = address + bytes;
      return address;
    }
    set_aside_.push_back(address);
  }
}

CUdeviceptr CudaAllocations::allocate_anywhere(const std::string& name, std::size_t bytes) {
  const Driver& cuda = context_->driver();
  CUdeviceptr address = 0;
  const CUresult result = cuda.mem_alloc.attempt(&address, std::max<std::size_t>(bytes, 1));
  if (result == CUDA_SUCCESS) return address;
  if (result != CUDA_ERROR_OUT_OF_MEMORY) throw_cuda_failure("cuMemAlloc", result);
  std::size_t free_bytes = 0, total_bytes = 0;
  cuda.memory_info.attempt(&free_bytes, &total_bytes);
  throw unavailable_error("`{}` needs {} bytes of GPU memory, and {} of {} are free; use a smaller size",
                          name, bytes, free_bytes, total_bytes);
}

void CudaAllocations::free(std::uint64_t address) {
  const Driver& cuda = context_->driver();
  if (live_.erase(address) && context_->is_usable()) cuda.mem_free.attempt(address);
  if (!lost_.erase(address) || !lost_.empty() || !context_->is_usable()) return;
  for (const CUdeviceptr held : set_aside_) cuda.mem_free.attempt(held);
  set_aside_.clear();
}

void CudaAllocations::check(std::uint64_t address) const {
  if (!overlaps_lost(address, address + 1)) return;
  throw unavailable_error(
      "this memory was lost when a kernel crashed the GPU's context; allocate and fill it anew");
}

void CudaAllocations::lose_all(ContextPointer fresh) {
  lost_.merge(live_);
  live_.clear();
  set_aside_.clear();
  context_ = std::move(fresh);
}

bool CudaAllocations::overlaps_lost(std::uint64_t begin, std::uint64_t end) const {
  return std::any_of(lost_.begin(), lost_.end(),
                     [&](const auto& range) { return range.first < end && begin < range.second; });
}

}  // namespace cudalab::device
