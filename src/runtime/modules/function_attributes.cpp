// Registers are ptxas's to choose: where the program holds no machine code for the card, a kernel counts with
// what most have.
#include "runtime/modules/function_attributes.h"

#include <algorithm>
#include <limits>

#include "runtime/device_properties.h"
#include "runtime/runtime.h"
#include "vgpu/time/occupancy.h"

namespace cudalab::runtime {
namespace {

constexpr int kUsualRegisters = 32;

KernelResources resources_of(const vgpu::KernelInfo& info) {
  return info.resources.value_or(
      KernelResources{.registers = kUsualRegisters, .shared_bytes = info.static_shared_bytes});
}

}  // namespace

std::size_t most_dynamic_shared(const KernelRef& kernel, const vgpu::KernelInfo& info) {
  const vgpu::Card& card = the_runtime().card();
  const std::size_t plain = card.shared_per_block - std::min(card.shared_per_block, info.static_shared_bytes);
  return std::max(plain, kernel.dynamic_shared_limit);
}

cudaFuncAttributes attributes_of(const KernelRef& kernel, int device) {
  const LoadedKernel loaded = the_runtime().modules.load(kernel, device);
  const vgpu::KernelInfo& info = loaded.info();
  const vgpu::Card& card = the_runtime().card();
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = info.static_shared_bytes;
  attributes.localSizeBytes = info.local_bytes;
  attributes.maxThreadsPerBlock = static_cast<int>(card.max_threads_per_block);
  attributes.numRegs = resources_of(info).registers;
  attributes.ptxVersion = attributes.binaryVersion = card.compute_major * 10 + card.compute_minor;
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(most_dynamic_shared(kernel, info));
  attributes.preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return attributes;
}

void set_attribute(const KernelRef& kernel, cudaFuncAttribute attribute, int value, int device) {
  const LoadedKernel loaded = the_runtime().modules.load(kernel, device);
  const vgpu::Card& card = the_runtime().card();
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 ||
          static_cast<std::size_t>(value) + loaded.info().static_shared_bytes > card.shared_per_block_optin)
        throw failure(cudaErrorInvalidValue,
                      "{} bytes of dynamic shared memory are more than a block can have", value);
      kernel.dynamic_shared_limit = static_cast<std::size_t>(value);
      return;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
    case cudaFuncAttributeNonPortableClusterSizeAllowed: return;
    default:
      throw failure(cudaErrorInvalidValue, "{} is no attribute that can be set", static_cast<int>(attribute));
  }
}

int blocks_on_multiprocessor(const KernelRef& kernel, int device, int block_threads,
                             std::size_t dynamic_shared) {
  const LoadedKernel loaded = the_runtime().modules.load(kernel, device);
  const vgpu::Card& card = the_runtime().card();
  if (block_threads <= 0 || block_threads > static_cast<int>(card.max_threads_per_block)) return 0;
  const vgpu::LaunchShape shape{.grid = {1, 1, 1},
                                .block = {static_cast<unsigned>(block_threads), 1, 1},
                                .dynamic_shared_bytes = dynamic_shared};
  return vgpu::occupancy_of(card, resources_of(loaded.info()), shape).blocks;
}

}  // namespace cudalab::runtime
