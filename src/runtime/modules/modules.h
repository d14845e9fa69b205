// Device code that a program registers before main: kernels, variables, and their attributes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/debug/variables.h"
#include "ptx/module.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// The device code that a program registers before main: kernels by the address of their host stubs, variables
// by the address of their host shadows; loaded on a device when it is first needed there.

class Memory;

struct HostVariable {
  std::string symbol;
  std::size_t bytes = 0;
  void** managed_pointer = nullptr;  // where the host keeps the address of a managed one; else null
};

// What a module was loaded from, kept for who looks into its launches.
struct LoadedText {
  ptx::Module module;
  std::vector<ptx::DebugFunction> variables;
};

// What one __cudaRegisterFatBinary brought.
struct FatBinary {
  std::vector<const void*> containers;
  int users = 1;  // files of the program that registered it; more than one if their device code is linked
  std::map<const void*, std::string> functions;  // host stub -> symbol
  std::map<const void*, HostVariable> variables;
  std::map<int, std::shared_ptr<const vgpu::LoadedModule>> loaded;  // by device
  std::shared_ptr<const LoadedText> text;                           // null: nobody looks
};

struct KernelRef {
  FatBinary* binary = nullptr;
  std::string symbol;
  mutable std::size_t dynamic_shared_limit = 0;  // that cudaFuncSetAttribute asked for
};

struct LoadedKernel {
  std::shared_ptr<const vgpu::LoadedModule> module;
  std::size_t index = 0;
  std::shared_ptr<const LoadedText> text;  // null: nobody looks
  const vgpu::KernelInfo& info() const { return module->kernels()[index]; }
};

// "_Z3addPfi" -> "add"
std::string readable(const std::string& symbol);

class Modules {
 public:
  Modules(vgpu::VirtualGpu& gpu, Memory& memory) : gpu_(&gpu), memory_(&memory) {}

  FatBinary* add(const void* wrapper);
  void remove(FatBinary* binary);

  // Throw Failure: cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice, cudaErrorInvalidSymbol.
  const KernelRef& kernel_of(const void* stub_or_handle);
  LoadedKernel load(const KernelRef& kernel, int device);
  std::uint64_t address_of(const void* symbol, int device, std::size_t& bytes);
  void load_managed(FatBinary& binary, int device);  // so that the host finds its __managed__ variables
  void forget_loaded(int device);

 private:
  const std::shared_ptr<const vgpu::LoadedModule>& load(FatBinary& binary, int device);

  vgpu::VirtualGpu* gpu_;
  Memory* memory_;
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  FatBinary* linked_ = nullptr;  // of all files whose fat binaries ask for it
  std::map<const void*, KernelRef> kernels_;
};

// What a program may ask and set about a kernel.

cudaFuncAttributes attributes_of(const KernelRef& kernel, int device);
// Throws Failure(cudaErrorInvalidValue) for what the kernel cannot have.
void set_attribute(const KernelRef& kernel, cudaFuncAttribute attribute, int value, int device);
// Of dynamic shared memory, that a launch may ask for.
std::size_t most_dynamic_shared(const KernelRef& kernel, const vgpu::KernelInfo& info);

// How many blocks of a kernel a multiprocessor holds at once.
int blocks_on_multiprocessor(const KernelRef& kernel, int device, int block_threads,
                             std::size_t dynamic_shared);

}  // namespace cudalab::runtime
