// Device code that a program registers before main: kernels, variables, and their attributes.
#include "runtime/modules/modules.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/error.h"
#include "core/programs/elf_file.h"
#include "core/text.h"
#include "messages/runtime.h"
#include "ptx/module.h"
#include "runtime/device_properties.h"
#include "runtime/memory.h"
#include "runtime/modules/fat_binary.h"
#include "runtime/runtime.h"
#include "runtime/variants.h"
#include "vgpu/stepping/step_messages.h"
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
        throw Failure{cudaErrorInvalidValue, msg::shared_memory_beyond_block(value)};
      kernel.dynamic_shared_limit = static_cast<std::size_t>(value);
      return;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
    case cudaFuncAttributeNonPortableClusterSizeAllowed: return;
    default:
      throw Failure{cudaErrorInvalidValue, msg::function_attribute_unknown(static_cast<int>(attribute))};
  }
}

int blocks_on_multiprocessor(const KernelRef& kernel, int device, int block_threads,
                             std::size_t dynamic_shared) {
  const LoadedKernel loaded = the_runtime().modules.load(kernel, device);
  const vgpu::Card& card = the_runtime().card();
  if (block_threads <= 0 || block_threads > static_cast<int>(card.max_threads_per_block)) return 0;
  const LaunchSpec spec{.block = {static_cast<unsigned>(block_threads)},
                        .dynamic_shared_bytes = dynamic_shared};
  return vgpu::occupancy_of(card, resources_of(loaded.info()), spec).blocks;
}

namespace {

// Treats a damaged fat binary as not linked. The error is reported when its device code is needed.
bool asks_to_be_linked(const void* container) try {
  const std::vector<DeviceImage> images = images_of(container_at(container));
  return !images.empty() && images.front().is_linked;
} catch (const Error&) {
  return false;
}

// The PTX with the highest architecture that the GPU can run.
std::string best_ptx(const void* container, int architecture, bool& has_machine_code) {
  std::string best;
  int best_architecture = 0;
  for (DeviceImage& image : images_of(container_at(container))) {
    has_machine_code |= !image.is_ptx;
    if (!image.is_ptx || image.architecture > architecture || image.architecture < best_architecture)
      continue;
    best = std::move(image.ptx);
    best_architecture = image.architecture;
  }
  return best;
}

// Debug information of the kernels. Linked containers have none, because their labels may clash.
std::vector<ptx::DebugFunction> variables_in(const FatBinary& binary, int architecture) {
  bool unused = false;
  const Image& image = binary.image;
  if (binary.containers.empty() && image.ptx.size() == 1) return ptx::debug_functions(image.ptx.front());
  return binary.containers.size() == 1 && image.ptx.empty()
             ? ptx::debug_functions(best_ptx(binary.containers.front(), architecture, unused))
             : std::vector<ptx::DebugFunction>();
}

ptx::Module module_of(const FatBinary& binary, int architecture) {
  std::vector<ptx::Module> parts;
  bool has_machine_code = binary.image.is_machine_code;
  for (const std::string& text : binary.image.ptx) {
    parts.push_back(ptx::parse(text, "the program's PTX"));
    require_ptx_for(parts.back().target, parts.back().version_major, parts.back().version_minor,
                    architecture);
  }
  for (const void* container : binary.containers)
    if (const std::string text = best_ptx(container, architecture, has_machine_code); !text.empty())
      parts.push_back(ptx::parse(text, "the program's PTX"));
  if (parts.empty() && has_machine_code)
    throw Failure{cudaErrorNoKernelImageForDevice, msg::program_without_ptx(architecture)};
  if (parts.empty())
    throw Failure{cudaErrorNoKernelImageForDevice, msg::program_without_device_code(architecture)};
  return linked(std::move(parts));
}

// The resources that ptxas found for this architecture, if the program contains the machine code. Not for
// -rdc=true: there the final link may use more registers.
ResourcesBySymbol resources_of(const FatBinary& binary, int architecture) {
  ResourcesBySymbol resources;
  if (binary.containers.size() > 1) return resources;
  for (const void* container : binary.containers)
    for (const DeviceImage& image : images_of(container_at(container), architecture))
      resources.merge(resources_in_machine_code(std::as_bytes(std::span(image.machine_code))));
  return resources;
}

}  // namespace

std::string readable(const std::string& symbol) {
  const std::string mangled(without_static_prefix(symbol));
  int failed = 0;
  char* demangled = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &failed);
  std::string name = demangled ? demangled : mangled;
  std::free(demangled);
  constexpr std::string_view kResult = "void ";  // stands before the name of a template's instance
  if (name.starts_with(kResult)) name.erase(0, kResult.size());
  return name.substr(0, name.find('('));
}

FatBinary* Modules::add(const void* wrapper) {
  std::vector<const void*> containers = containers_of(wrapper);
  const bool is_linked = asks_to_be_linked(containers.front());
  if (is_linked && linked_) {
    linked_->containers.push_back(containers.front());
    linked_->loaded.clear();
    ++linked_->users;
    return linked_;
  }
  binaries_.push_back(std::make_unique<FatBinary>(FatBinary{.containers = std::move(containers)}));
  if (is_linked) linked_ = binaries_.back().get();
  return binaries_.back().get();
}

void Modules::remove(FatBinary* binary) {
  if (--binary->users > 0) return;
  if (binary == linked_) linked_ = nullptr;
  forget_kernels(binary);
  std::erase_if(binaries_, [&](const auto& one) { return one.get() == binary; });
}

void Modules::forget_kernels(const FatBinary* binary) {
  const auto is_its = [&](const auto& one) {
    return one.second.binary == binary && (handles_.erase(&one.second), true);
  };
  std::erase_if(kernels_, is_its);
  std::erase_if(named_, is_its);
}

FatBinary* Modules::add(Image image) {
  binaries_.push_back(std::make_unique<FatBinary>(FatBinary{.image = std::move(image)}));
  FatBinary& binary = *binaries_.back();
  for (const std::string& container : binary.image.containers) binary.containers.push_back(container.data());
  return &binary;
}

bool Modules::knows(const FatBinary* binary) const {
  return std::ranges::any_of(binaries_, [&](const auto& one) { return one.get() == binary; });
}

void Modules::unload(FatBinary* binary) {
  for (const auto& [device, module] : binary->loaded)
    if (module)
      for (const vgpu::VariableInfo& variable : module->variables()) memory_->release(variable.address);
  remove(binary);
}

const std::shared_ptr<const vgpu::LoadedModule>& Modules::load(FatBinary& binary, int device) {
  auto& module = binary.loaded[device];
  if (module) return module;
  serve_variants();
  const vgpu::Card& card = gpu_->card();
  const int architecture = card.compute_major * 10 + card.compute_minor;
  const bool is_replaced =
      !device_code_.empty() && binary.image.containers.empty() && binary.image.ptx.empty();
  ptx::Module text =
      is_replaced ? ptx::parse(device_code_, "the program's PTX") : module_of(binary, architecture);
  module = gpu_->load(text, "the program's PTX", resources_of(binary, architecture));
  if (std::getenv(vgpu::kStepVariable))
    binary.text = std::make_shared<LoadedText>(std::move(text), variables_in(binary, architecture));
  for (const vgpu::VariableInfo& variable : module->variables())
    memory_->add_variable(variable.symbol, variable.address, variable.bytes, device);
  return module;
}

const KernelRef& Modules::kernel_of(const void* stub) {
  const auto known = kernels_.find(stub);
  if (known != kernels_.end()) return known->second;
  if (handles_.contains(stub)) return *static_cast<const KernelRef*>(stub);
  for (const auto& binary : binaries_)
    if (const auto found = binary->functions.find(stub); found != binary->functions.end()) {
      const KernelRef& kernel = kernels_[stub] = {binary.get(), found->second, 0};
      handles_.insert(&kernel);
      return kernel;
    }
  require(stub, cudaErrorInvalidDeviceFunction, msg::kernel_null());
  throw Failure{cudaErrorInvalidResourceHandle,
                msg::kernel_not_at_address(Address{reinterpret_cast<std::uint64_t>(stub)})};
}

LoadedKernel Modules::load(const KernelRef& kernel, int device) {
  const auto& module = load(*kernel.binary, device);
  const auto kernels = module->kernels();
  const auto found = std::ranges::find(kernels, kernel.symbol, &vgpu::KernelInfo::symbol);
  if (found == kernels.end())
    throw Failure{cudaErrorInvalidDeviceFunction, msg::kernel_not_in_ptx(Code{kernel.symbol})};
  return {module, static_cast<std::size_t>(found - kernels.begin()), kernel.binary->text};
}

const KernelRef& Modules::kernel_called(FatBinary& binary, const std::string& symbol, int device) {
  const auto kernels = load(binary, device)->kernels();
  require(std::ranges::find(kernels, symbol, &vgpu::KernelInfo::symbol) != kernels.end(),
          cudaErrorSymbolNotFound, msg::kernel_not_in_ptx(Code{symbol}));
  const auto found = named_.try_emplace({&binary, symbol}, KernelRef{&binary, symbol}).first;
  handles_.insert(&found->second);
  return found->second;
}

const vgpu::VariableInfo* Modules::variable_called(FatBinary& binary, const std::string& symbol, int device) {
  const auto variables = load(binary, device)->variables();
  const auto found = std::ranges::find(variables, symbol, &vgpu::VariableInfo::symbol);
  return found == variables.end() ? nullptr : &*found;
}

std::uint64_t Modules::address_of(const void* symbol, int device, std::size_t& bytes) {
  for (const auto& binary : binaries_) {
    const auto found = binary->variables.find(symbol);
    if (found == binary->variables.end()) continue;
    bytes = found->second.bytes;
    const auto& module = load(*binary, device);
    for (const vgpu::VariableInfo& variable : module->variables())
      if (variable.symbol == found->second.symbol) {
        bytes = variable.bytes;
        return variable.address;
      }
  }
  throw Failure{cudaErrorInvalidSymbol,
                msg::variable_not_at_address(Address{reinterpret_cast<std::uint64_t>(symbol)})};
}

void Modules::load_managed(FatBinary& binary, int device) {
  const auto is_managed = [](const auto& one) { return one.second.managed_pointer != nullptr; };
  if (std::ranges::none_of(binary.variables, is_managed)) return;
  for (const vgpu::VariableInfo& variable : load(binary, device)->variables())
    for (const auto& [shadow, known] : binary.variables)
      if (known.managed_pointer && known.symbol == variable.symbol)
        *known.managed_pointer = reinterpret_cast<void*>(variable.address);
}

void Modules::forget_loaded(int device) {
  for (const auto& binary : binaries_) binary->loaded.erase(device);
}

}  // namespace cudalab::runtime
