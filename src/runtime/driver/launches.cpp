// The driver API's functions: their attributes, launches, and occupancy.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "runtime/driver/driver.h"
#include "runtime/modules/modules.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

const KernelRef& kernel_of(const void* handle) {
  require(handle, cudaErrorInvalidResourceHandle, msg::kernel_null());
  return the_runtime().modules.kernel_of(handle);
}

// ---- attributes --------------------------------------------------------------------------------------

struct FunctionAttribute {
  CUfunction_attribute attribute;
  int (*value)(const cudaFuncAttributes& all);
};
constexpr FunctionAttribute kFunctionAttributes[] = {
    {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, [](const auto& all) { return all.maxThreadsPerBlock; }},
    {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
     [](const auto& all) { return static_cast<int>(all.sharedSizeBytes); }},
    {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
     [](const auto& all) { return static_cast<int>(all.constSizeBytes); }},
    {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
     [](const auto& all) { return static_cast<int>(all.localSizeBytes); }},
    {CU_FUNC_ATTRIBUTE_NUM_REGS, [](const auto& all) { return all.numRegs; }},
    {CU_FUNC_ATTRIBUTE_PTX_VERSION, [](const auto& all) { return all.ptxVersion; }},
    {CU_FUNC_ATTRIBUTE_BINARY_VERSION, [](const auto& all) { return all.binaryVersion; }},
    {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, [](const auto& all) { return all.cacheModeCA; }},
    {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
     [](const auto& all) { return all.maxDynamicSharedSizeBytes; }},
    {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
     [](const auto& all) { return all.preferredShmemCarveout; }},
    {CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, [](const auto& all) { return all.clusterDimMustBeSet; }},
    {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, [](const auto& all) { return all.requiredClusterWidth; }},
    {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, [](const auto& all) { return all.requiredClusterHeight; }},
    {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, [](const auto& all) { return all.requiredClusterDepth; }},
    {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
     [](const auto& all) { return all.nonPortableClusterSizeAllowed; }},
    {CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
     [](const auto& all) { return all.clusterSchedulingPolicyPreference; }},
};

void get_attribute(int* value, CUfunction_attribute attribute, const void* function) {
  require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
  const cudaFuncAttributes all = attributes_of(kernel_of(function), this_thread().device);
  const auto* found = std::ranges::find(kFunctionAttributes, attribute, &FunctionAttribute::attribute);
  require(found != std::end(kFunctionAttributes), cudaErrorInvalidValue, msg::attribute_unknown());
  *value = found->value(all);
}

// Attributes that a program can set have the same numbers in both APIs.
void set_attribute(const void* function, CUfunction_attribute attribute, int value) {
  cudalab::runtime::set_attribute(kernel_of(function), static_cast<cudaFuncAttribute>(attribute), value,
                                  this_thread().device);
}

void get_parameter(const void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const LoadedKernel kernel = the_runtime().modules.load(kernel_of(function), this_thread().device);
  const auto& parameters = kernel.info().parameters;
  require(offset && index < parameters.size(), cudaErrorInvalidValue,
          msg::kernel_has_parameters(parameters.size()));
  *offset = parameters[index].offset;
  if (bytes) *bytes = parameters[index].bytes;
}

void get_name(const char** name, const void* function) {
  require(name, cudaErrorInvalidValue, msg::pointer_to_name_null());
  *name = kernel_of(function).symbol.c_str();
}

// ---- arguments ---------------------------------------------------------------------------------------

// The buffer of arguments that a launch passes instead of their addresses.
struct ArgumentBuffer {
  std::byte* bytes = nullptr;
  const std::size_t* size = nullptr;
};

ArgumentBuffer buffer_in(void** extra) {
  ArgumentBuffer buffer;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer.bytes = static_cast<std::byte*>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      buffer.size = static_cast<const std::size_t*>(extra[1]);
    else
      throw Failure{cudaErrorInvalidValue, msg::launch_extra_unknown()};
  }
  require(buffer.bytes && buffer.size, cudaErrorInvalidValue, msg::launch_extra_incomplete());
  return buffer;
}

// The addresses of the kernel's arguments within the buffer.
std::vector<void*> arguments_in(const ArgumentBuffer& buffer, const vgpu::KernelInfo& kernel) {
  require(*buffer.size <= kernel.parameter_bytes, cudaErrorLaunchOutOfResources,
          msg::launch_extra_size_wrong(*buffer.size, kernel.parameter_bytes));
  require(*buffer.size == kernel.parameter_bytes, cudaErrorInvalidValue,
          msg::launch_extra_size_wrong(*buffer.size, kernel.parameter_bytes));
  std::vector<void*> arguments;
  for (const vgpu::KernelParameter& parameter : kernel.parameters)
    arguments.push_back(buffer.bytes + parameter.offset);
  return arguments;
}

void launch_function(CUfunction function, const KernelLaunch& shape, CUstream stream, void** arguments,
                     void** extra) {
  const KernelRef& kernel = kernel_of(function);
  require(!arguments || !extra, cudaErrorInvalidValue, msg::launch_arguments_twice());
  Stream& on = stream_of(stream);
  std::vector<void*> from_buffer;
  if (!arguments) {
    const LoadedKernel loaded = the_runtime().modules.load(kernel, on.device);
    require(extra || loaded.info().parameters.empty(), cudaErrorInvalidValue,
            msg::launch_arguments_missing(loaded.info().parameters.size()));
    if (extra) from_buffer = arguments_in(buffer_in(extra), loaded.info());
    arguments = from_buffer.data();
  }
  launch(kernel, shape, arguments, on);
}

CUresult launch_as(const char* call, CUfunction function, const KernelLaunch& shape, CUstream stream,
                   void** arguments, void** extra = nullptr) {
  return drive(call, Needs::kContext, [&] { launch_function(function, shape, stream, arguments, extra); });
}

KernelLaunch shape_of(const CUlaunchConfig& config) {
  KernelLaunch shape{.spec = {{config.gridDimX, config.gridDimY, config.gridDimZ},
                              {config.blockDimX, config.blockDimY, config.blockDimZ},
                              config.sharedMemBytes}};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    if (one.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      shape.spec.cluster = {one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z};
    if (one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.is_cooperative = one.value.cooperative != 0;
  }
  return shape;
}

// ---- occupancy ---------------------------------------------------------------------------------------

// Finds the largest block size with the most resident threads per SM, and the number of blocks that fills the
// GPU.
void find_block_size(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of_block,
                     std::size_t shared_bytes, int limit) {
  require(grid && block, cudaErrorInvalidValue, msg::pointer_null());
  const KernelRef& kernel = kernel_of(function);
  const vgpu::Card& card = the_runtime().card();
  constexpr int kWarp = 32;
  int most = static_cast<int>(card.max_threads_per_block);
  if (limit > 0) most = std::min(most, limit);
  int best_threads = 0;
  *grid = *block = 0;
  for (int threads = (most + kWarp - 1) / kWarp * kWarp; threads > 0; threads -= kWarp) {
    const int tried = std::min(threads, most);
    const int blocks = blocks_on_multiprocessor(kernel, this_thread().device, tried,
                                                shared_of_block ? shared_of_block(tried) : shared_bytes);
    if (blocks * tried <= best_threads) continue;
    best_threads = blocks * tried;
    *block = tried;
    *grid = blocks * static_cast<int>(card.multiprocessors);
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return drive(__func__, Needs::kContext, [&] { get_attribute(value, attribute, function); });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return drive(__func__, Needs::kContext, [&] { set_attribute(function, attribute, value); });
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return drive(__func__, Needs::kContext, [&] {
    require(module, cudaErrorInvalidValue, msg::pointer_null());
    *module = reinterpret_cast<CUmodule>(kernel_of(function).binary);
  });
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return drive(__func__, Needs::kInit, [&] { get_name(name, function); });
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return drive(__func__, Needs::kContext, [&] { get_parameter(function, index, offset, bytes); });
}
TWIN(cuFuncSetCacheConfig, cudaFuncSetCacheConfig, (CUfunction function, CUfunc_cache config), function,
     config)
TWIN(cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig, (CUfunction function, CUsharedconfig config),
     function, config)

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return drive(__func__, Needs::kContext, [&] {
    require(function, cudaErrorInvalidValue, msg::pointer_null());
    *function = reinterpret_cast<CUfunction>(const_cast<KernelRef*>(&kernel_of(kernel)));
  });
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return drive(__func__, Needs::kInit, [&] {
    require(library, cudaErrorInvalidValue, msg::pointer_null());
    *library = reinterpret_cast<CUlibrary>(kernel_of(kernel).binary);
  });
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return drive(__func__, Needs::kInit, [&] { get_name(name, kernel); });
}
CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return drive(__func__, Needs::kInit, [&] { get_parameter(kernel, index, offset, bytes); });
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return drive(__func__, Needs::kInit, [&] { get_attribute(value, attribute, kernel); });
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return drive(__func__, Needs::kInit, [&] { set_attribute(kernel, attribute, value); });
}
TWIN_THAT_NEEDS(kInit, cuKernelSetCacheConfig, cudaFuncSetCacheConfig,
                (CUkernel kernel, CUfunc_cache config, CUdevice), kernel, config)

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  return launch_as("cuLaunchKernel", function,
                   {.spec = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}}, stream,
                   arguments, extra);
}
PER_THREAD_VARIANT(cuLaunchKernel, _ptsz,
                   (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                    unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                    void** arguments, void** extra),
                   function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                   arguments, extra)
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void** arguments) {
  return launch_as(
      "cuLaunchCooperativeKernel", function,
      {.spec = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, .is_cooperative = true},
      stream, arguments);
}
PER_THREAD_VARIANT(cuLaunchCooperativeKernel, _ptsz,
                   (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                    unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                    void** arguments),
                   function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                   arguments)
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  return drive("cuLaunchKernelEx", Needs::kContext, [&] {
    require(config, cudaErrorInvalidValue, msg::launch_configuration_null());
    launch_function(function, shape_of(*config), config->hStream, arguments, extra);
  });
}
PER_THREAD_VARIANT(cuLaunchKernelEx, _ptsz,
                   (const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra),
                   config, function, arguments, extra)

TWIN(cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int* blocks, CUfunction function, int threads, std::size_t shared_bytes), blocks, function, threads,
     shared_bytes)
TWIN(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int* blocks, CUfunction function, int threads, std::size_t shared_bytes, unsigned flags), blocks,
     function, threads, shared_bytes, flags)
TWIN(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
     (std::size_t * bytes, CUfunction function, int blocks, int threads), bytes, function, blocks, threads)
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of_block, std::size_t shared_bytes,
                                          int limit) {
  return drive(__func__, Needs::kContext,
               [&] { find_block_size(grid, block, function, shared_of_block, shared_bytes, limit); });
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of_block,
                                                   std::size_t shared_bytes, int limit, unsigned) {
  return drive(__func__, Needs::kContext,
               [&] { find_block_size(grid, block, function, shared_of_block, shared_bytes, limit); });
}

}  // extern "C"
#pragma GCC visibility pop
