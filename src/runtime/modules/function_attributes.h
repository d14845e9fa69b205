// What a program may ask and set about a kernel.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/modules/modules.h"

namespace cudalab::runtime {

cudaFuncAttributes attributes_of(const KernelRef& kernel, int device);
// Throws Failure(cudaErrorInvalidValue) for what the kernel cannot have.
void set_attribute(const KernelRef& kernel, cudaFuncAttribute attribute, int value, int device);
// Of dynamic shared memory, that a launch may ask for.
std::size_t most_dynamic_shared(const KernelRef& kernel, const vgpu::KernelInfo& info);

// How many blocks of a kernel a multiprocessor holds at once.
int blocks_on_multiprocessor(const KernelRef& kernel, int device, int block_threads,
                             std::size_t dynamic_shared);

}  // namespace cudalab::runtime
