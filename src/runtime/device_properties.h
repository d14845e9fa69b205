// The answers to a program's queries about a virtual device: properties and attributes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "vgpu/card.h"

namespace cudalab::runtime {

cudaDeviceProp properties_of(const vgpu::Card& card, std::size_t memory_bytes, int device);
std::optional<int> attribute_of(const vgpu::Card& card, const cudaDeviceProp& properties,
                                cudaDeviceAttr attribute);

}  // namespace cudalab::runtime
