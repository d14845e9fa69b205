// Properties and attributes of a virtual device. Values that affect no kernel are those of an H200
// (cudaGetDeviceProperties, CUDA 13.0).
#include "runtime/device_properties.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <variant>

#include "vgpu/memory/texture_table.h"
#include "vgpu/warp_shape.h"

namespace cudalab::runtime {
namespace {

constexpr std::size_t kMostPitch = 2147483647, kTextureAlignment = 512;

int whole(std::size_t value) { return static_cast<int>(value); }
int khz(double mhz) { return static_cast<int>(mhz * 1000); }

void put_textures(cudaDeviceProp& to, const TextureLimits& limits) {
  to.textureAlignment = kTextureAlignment;
  to.texturePitchAlignment = limits.pitch_alignment;
  to.surfaceAlignment = kTextureAlignment;
  to.maxTexture1D = whole(limits.width_1d);
  to.maxTexture2D[0] = whole(limits.width_2d), to.maxTexture2D[1] = whole(limits.height_2d);
  to.maxTexture2DLinear[0] = whole(limits.width_pitch), to.maxTexture2DLinear[1] = whole(limits.height_pitch);
  to.maxTexture2DLinear[2] = whole(limits.pitch_bytes);
  to.maxTexture2DGather[0] = whole(limits.width_gather),
  to.maxTexture2DGather[1] = whole(limits.height_gather);
  to.maxTexture3D[0] = whole(limits.width_3d), to.maxTexture3D[1] = whole(limits.height_3d);
  to.maxTexture3D[2] = whole(limits.depth_3d);
  to.maxTexture1DLayered[0] = whole(limits.width_1d_layered),
  to.maxTexture1DLayered[1] = whole(limits.layers);
  to.maxTexture2DLayered[0] = whole(limits.width_2d_layered);
  to.maxTexture2DLayered[1] = whole(limits.height_2d_layered),
  to.maxTexture2DLayered[2] = whole(limits.layers);
  to.maxTextureCubemap = to.maxSurfaceCubemap = whole(limits.width_2d_layered);
  to.maxTextureCubemapLayered[0] = to.maxSurfaceCubemapLayered[0] = whole(limits.width_2d_layered);
  to.maxTextureCubemapLayered[1] = to.maxSurfaceCubemapLayered[1] =
      whole(limits.layers - limits.layers % vgpu::kCubeFaces);
  to.maxSurface1D = whole(limits.width_1d_surface);
  to.maxSurface2D[0] = whole(limits.width_2d_surface), to.maxSurface2D[1] = whole(limits.height_2d_surface);
  to.maxSurface3D[0] = whole(limits.width_3d_surface), to.maxSurface3D[1] = whole(limits.height_3d_surface);
  to.maxSurface3D[2] = whole(limits.depth_3d_surface);
}

void put_limits(cudaDeviceProp& to, const vgpu::Card& card) {
  to.sharedMemPerBlock = card.shared_per_block;
  to.sharedMemPerBlockOptin = card.shared_per_block_optin;
  to.sharedMemPerMultiprocessor = card.shared_per_multiprocessor;
  to.reservedSharedMemPerBlock = card.shared_reserved_per_block;
  to.regsPerBlock = static_cast<int>(card.registers_per_block);
  to.regsPerMultiprocessor = static_cast<int>(card.registers_per_multiprocessor);
  to.warpSize = vgpu::kWarpSize;
  to.memPitch = kMostPitch;
  to.maxThreadsPerBlock = static_cast<int>(card.max_threads_per_block);
  to.maxThreadsDim[0] = static_cast<int>(card.max_block_x),
  to.maxThreadsDim[1] = static_cast<int>(card.max_block_y);
  to.maxThreadsDim[2] = static_cast<int>(card.max_block_z);
  to.maxGridSize[0] = static_cast<int>(card.max_grid_x),
  to.maxGridSize[1] = static_cast<int>(card.max_grid_y);
  to.maxGridSize[2] = static_cast<int>(card.max_grid_z);
  to.totalConstMem = card.constant_bytes;
  to.maxThreadsPerMultiProcessor = static_cast<int>(card.max_threads_per_multiprocessor);
  to.maxBlocksPerMultiProcessor = static_cast<int>(card.max_blocks_per_multiprocessor);
  to.l2CacheSize = whole(card.l2_bytes);
  if (card.compute_major >= 8) {  // as on an H200: 5/8 of the L2, and windows of 128 MiB
    to.persistingL2CacheMaxSize = whole(card.l2_bytes / 8 * 5);
    to.accessPolicyMaxWindowSize = 128 << 20;
  }
}

void put_abilities(cudaDeviceProp& to, const vgpu::Card& card) {
  for (int* yes :
       {&to.canMapHostMemory, &to.concurrentKernels, &to.unifiedAddressing, &to.streamPrioritiesSupported,
        &to.globalL1CacheSupported, &to.localL1CacheSupported, &to.managedMemory, &to.concurrentManagedAccess,
        &to.computePreemptionSupported, &to.canUseHostPointerForRegisteredMem, &to.cooperativeLaunch,
        &to.hostRegisterSupported, &to.memoryPoolsSupported, &to.ECCEnabled})
    *yes = 1;
  to.asyncEngineCount = 3;
  to.memoryBusWidth = static_cast<int>(card.memory_bus_bits);
  to.clusterLaunch = vgpu::has_clusters(card);
}

// The source of an attribute's value: a constant, a field of the properties, or a function of both.
using Card = vgpu::Card;
using Properties = cudaDeviceProp;
using Of = int (*)(const Card&, const Properties&);

int value_of(int constant, const Card&, const Properties&) { return constant; }
int value_of(int Properties::*field, const Card&, const Properties& p) { return p.*field; }
int value_of(std::size_t Properties::*field, const Card&, const Properties& p) { return whole(p.*field); }
int value_of(Of of, const Card& card, const Properties& p) { return of(card, p); }

struct AttributeRow {
  cudaDeviceAttr attribute;
  std::variant<int, int Properties::*, std::size_t Properties::*, Of> value;
};

constexpr AttributeRow kAttributes[] = {
    {cudaDevAttrTotalConstantMemory, &Properties::totalConstMem},
    {cudaDevAttrMaxPitch, &Properties::memPitch},
    {cudaDevAttrMaxRegistersPerBlock, &Properties::regsPerBlock},
    {cudaDevAttrClockRate, Of{[](const Card& card, const Properties&) { return khz(card.clock_mhz); }}},
    {cudaDevAttrTextureAlignment, &Properties::textureAlignment},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrMaxTexture1DWidth, &Properties::maxTexture1D},
    {cudaDevAttrMaxTexture2DWidth, Of{[](const Card&, const Properties& p) { return p.maxTexture2D[0]; }}},
    {cudaDevAttrMaxTexture2DHeight, Of{[](const Card&, const Properties& p) { return p.maxTexture2D[1]; }}},
    {cudaDevAttrMaxTextureCubemapWidth, &Properties::maxTextureCubemap},
    {cudaDevAttrMaxSurfaceCubemapWidth, &Properties::maxSurfaceCubemap},
    {cudaDevAttrMaxTexture3DWidth, Of{[](const Card&, const Properties& p) { return p.maxTexture3D[0]; }}},
    {cudaDevAttrMaxTexture3DHeight, Of{[](const Card&, const Properties& p) { return p.maxTexture3D[1]; }}},
    {cudaDevAttrMaxTexture3DDepth, Of{[](const Card&, const Properties& p) { return p.maxTexture3D[2]; }}},
    {cudaDevAttrSurfaceAlignment, &Properties::surfaceAlignment},
    {cudaDevAttrConcurrentKernels, &Properties::concurrentKernels},
    {cudaDevAttrEccEnabled, &Properties::ECCEnabled},
    {cudaDevAttrPciBusId, &Properties::pciBusID},
    {cudaDevAttrPciDeviceId, &Properties::pciDeviceID},
    {cudaDevAttrPciDomainId, &Properties::pciDomainID},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate,
     Of{[](const Card& card, const Properties&) { return khz(card.memory_clock_mhz); }}},
    {cudaDevAttrGlobalMemoryBusWidth, &Properties::memoryBusWidth},
    {cudaDevAttrL2CacheSize, &Properties::l2CacheSize},
    {cudaDevAttrMaxThreadsPerMultiProcessor, &Properties::maxThreadsPerMultiProcessor},
    {cudaDevAttrAsyncEngineCount, &Properties::asyncEngineCount},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrTexturePitchAlignment, &Properties::texturePitchAlignment},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &Properties::sharedMemPerMultiprocessor},
    {cudaDevAttrMaxRegistersPerMultiprocessor, &Properties::regsPerMultiprocessor},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, Of{[](const Card& card, const Properties&) {
       return static_cast<int>(card.fp32_lanes / card.fp64_lanes);
     }}},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrMaxBlocksPerMultiprocessor, &Properties::maxBlocksPerMultiProcessor},
    {cudaDevAttrReservedSharedMemoryPerBlock, &Properties::reservedSharedMemPerBlock},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, &Properties::clusterLaunch},
};

}  // namespace

cudaDeviceProp properties_of(const vgpu::Card& card, std::size_t memory_bytes, int device) {
  cudaDeviceProp properties{};
  const std::string_view name = card.name;
  std::memcpy(properties.name, name.data(), std::min(name.size(), sizeof properties.name - 1));
  properties.uuid.bytes[0] = static_cast<char>(device + 1);
  properties.totalGlobalMem = memory_bytes;
  properties.major = card.compute_major;
  properties.minor = card.compute_minor;
  properties.multiProcessorCount = static_cast<int>(card.multiprocessors);
  properties.pciBusID = device + 1;
  properties.hostNumaId = properties.deviceNumaId = -1;
  put_limits(properties, card);
  put_textures(properties, card.textures);
  put_abilities(properties, card);
  return properties;
}

std::optional<int> attribute_of(const vgpu::Card& card, const cudaDeviceProp& p, cudaDeviceAttr attribute) {
  if (const auto known = vgpu::cuda_attribute(card, attribute)) return whole(*known);
  for (const AttributeRow& row : kAttributes)
    if (row.attribute == attribute)
      return std::visit([&](auto value) { return value_of(value, card, p); }, row.value);
  if (attribute > 0 && attribute < cudaDevAttrMax) return 0;
  return std::nullopt;
}

}  // namespace cudalab::runtime
