// The device code of a program. Kernels of code that is registered before main are found by the address of
// their host stub, and variables by the address of their host shadow. In code that is loaded at run time,
// both are found by name. A module is loaded on a device when it is first needed there.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ptx/debug/variables.h"
#include "ptx/module.h"
#include "runtime/modules/images.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

class Memory;

struct HostVariable {
  std::string symbol;
  std::size_t bytes = 0;
  void** managed_pointer = nullptr;  // a managed variable's pointer on the host; else null
};

// The PTX and the debug information of a module, kept only for `cudalab step`.
struct LoadedText {
  ptx::Module module;
  std::vector<ptx::DebugFunction> variables;
};

// One registration by __cudaRegisterFatBinary, or one module of the driver API.
struct FatBinary {
  std::vector<const void*> containers;
  Image image;    // that was loaded at run time; `containers` points into it
  int users = 1;  // files that registered it; more than one if their device code is linked
  std::map<const void*, std::string> functions;  // host stub -> symbol
  std::map<const void*, HostVariable> variables;
  std::map<int, std::shared_ptr<const vgpu::LoadedModule>> loaded;  // by device
  std::shared_ptr<const LoadedText> text;  // null if the program is not stepped through
};

struct KernelRef {
  FatBinary* binary = nullptr;
  std::string symbol;
  mutable std::size_t dynamic_shared_limit = 0;  // as set by cudaFuncSetAttribute
};

struct LoadedKernel {
  std::shared_ptr<const vgpu::LoadedModule> module;
  std::size_t index = 0;
  std::shared_ptr<const LoadedText> text;  // null if the program is not stepped through
  const vgpu::KernelInfo& info() const { return module->kernels()[index]; }
};

// "_Z3addPfi" -> "add"
std::string readable(const std::string& symbol);

class Modules {
 public:
  Modules(vgpu::VirtualGpu& gpu, Memory& memory) : gpu_(&gpu), memory_(&memory) {}
  // Loads this PTX in place of the program's own, which is not loaded yet.
  void replace_device_code(std::string ptx) { device_code_ = std::move(ptx); }

  FatBinary* add(const void* wrapper);
  void remove(FatBinary* binary);

  // Device code that is loaded at run time.
  FatBinary* add(Image image);
  bool knows(const FatBinary* binary) const;
  // Frees the variables, too. No work that uses the code may be pending.
  void unload(FatBinary* binary);
  // Throws Failure(cudaErrorSymbolNotFound) if the code has no such kernel.
  const KernelRef& kernel_called(FatBinary& binary, const std::string& symbol, int device);
  // Null if the code has no such variable.
  const vgpu::VariableInfo* variable_called(FatBinary& binary, const std::string& symbol, int device);

  // Throw Failure: cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice, cudaErrorInvalidSymbol.
  const KernelRef& kernel_of(const void* stub_or_handle);
  LoadedKernel load(const KernelRef& kernel, int device);
  std::uint64_t address_of(const void* symbol, int device, std::size_t& bytes);
  void load_managed(FatBinary& binary, int device);  // sets the host's pointers to __managed__ variables
  void forget_loaded(int device);
  const std::shared_ptr<const vgpu::LoadedModule>& load(FatBinary& binary, int device);

 private:
  void forget_kernels(const FatBinary* binary);

  vgpu::VirtualGpu* gpu_;
  Memory* memory_;
  std::string device_code_;  // in place of the program's own; empty: none
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  FatBinary* linked_ = nullptr;               // the one that all files with linked device code share
  std::map<const void*, KernelRef> kernels_;  // by host stub
  std::map<std::pair<const FatBinary*, std::string>, KernelRef> named_;  // by the code and the name in it
  std::set<const void*> handles_;  // addresses of the elements of kernels_ and named_
};

// Attributes of a kernel that a program can query and set.

cudaFuncAttributes attributes_of(const KernelRef& kernel, int device);
// Throws Failure(cudaErrorInvalidValue) if the kernel does not allow this value.
void set_attribute(const KernelRef& kernel, cudaFuncAttribute attribute, int value, int device);
// The most dynamic shared memory that a launch may request, in bytes.
std::size_t most_dynamic_shared(const KernelRef& kernel, const vgpu::KernelInfo& info);

// The number of resident blocks per SM.
int blocks_on_multiprocessor(const KernelRef& kernel, int device, int block_threads,
                             std::size_t dynamic_shared);

}  // namespace cudalab::runtime
