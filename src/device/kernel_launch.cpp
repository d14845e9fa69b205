// Before a launch: finds a module's kernel by name, checks arguments and limits, and lets a viewer look into
// it.
#include "device/kernel_launch.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/text.h"

namespace cudalab::device {
namespace {

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // `a` alone would be demangled too: to `signed char`
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

// "mm<float>(float*, int (*)(int))" -> "mm<float>": cuts the last balanced parentheses.
std::string without_parameters(const std::string& name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    depth += (name[at] == ')') - (name[at] == '(');
    if (depth == 0) return name.substr(0, at);
  }
  return name;
}

std::string without_spaces(std::string name) {
  std::erase(name, ' ');
  return name;
}

// A file's own name for what stands in its unnamed namespace.
std::string without_unnamed_namespaces(std::string name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(kUnnamed)) != std::string::npos;) name.erase(at, kUnnamed.size());
  return name;
}

KernelParameter parameter_of(const ptx::Variable& variable) {
  const std::string_view type = ptx::info(variable.type).name;
  return {variable.bytes(), std::string(type), variable.is_pointer};
}

Kernel kernel_of(const ptx::Function& function, const compile::CompiledSource& source) {
  Kernel kernel;
  kernel.symbol = function.name;
  kernel.name = source_name(function.name);
  for (const auto& [expression, symbol] : source.lowered_names)
    if (symbol == function.name) kernel.name = expression;
  for (const ptx::Variable& variable : function.parameters)
    kernel.parameters.push_back(parameter_of(variable));
  return kernel;
}

std::string listed(std::span<const Kernel> kernels) { return joined(kernels, ", ", &Kernel::name); }

}  // namespace

std::string without_template_arguments(const std::string& name) { return name.substr(0, name.find('<')); }

std::string source_name(const std::string& symbol) {
  std::string name = without_parameters(demangled(symbol));
  if (name.starts_with("void ")) name.erase(0, 5);  // templates are demangled with their return type
  return without_unnamed_namespaces(name);
}

KernelTable::KernelTable(const compile::CompiledSource& source, const ptx::Module& module)
    : file_name_(source.file_name) {
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && !function.is_declaration) kernels_.push_back(kernel_of(function, source));
  for (const Kernel& kernel : kernels_) {
    const std::string name = source_name(kernel.symbol);
    for (const std::string& known : {kernel.symbol, name, without_template_arguments(name)})
      kernel_symbols_[without_spaces(known)].insert(kernel.symbol);
  }
  for (const ptx::Variable& variable : module.variables)
    for (const std::string& known : {variable.name, demangled(variable.name)})
      variable_symbols_[without_spaces(known)].insert(variable.name);
  for (const auto& [expression, symbol] : source.lowered_names) {
    if (module.find_variable(symbol)) variable_symbols_[without_spaces(expression)].insert(symbol);
    if (kernel_symbols_.count(symbol)) kernel_symbols_[without_spaces(expression)].insert(symbol);
  }
}

const Kernel& KernelTable::kernel(const std::string& name) const {
  const auto found = kernel_symbols_.find(without_spaces(name));
  if (found == kernel_symbols_.end() && kernels_.empty())
    throw usage_error("{} has no kernel: mark one with __global__, and instantiate templates by naming them",
                      file_name_);
  if (found == kernel_symbols_.end())
    throw usage_error("{} has no kernel `{}`; it has {}", file_name_, name, listed(kernels_));
  if (found->second.size() > 1)
    throw usage_error("`{}` names several kernels of {}; choose one of {}", name, file_name_,
                      joined(found->second));
  return *std::find_if(kernels_.begin(), kernels_.end(),
                       [&](const Kernel& kernel) { return kernel.symbol == *found->second.begin(); });
}

const std::string& KernelTable::variable_symbol(const std::string& name) const {
  const auto found = variable_symbols_.find(without_spaces(name));
  if (found == variable_symbols_.end() || found->second.size() > 1)
    throw usage_error("{} has no __constant__ or __device__ variable `{}` that a kernel uses", file_name_,
                      name);
  return *found->second.begin();
}

namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same for every card
// since 5.0.
constexpr Dim3 kLargestBlock{1024, 1024, 64};
constexpr Dim3 kLargestGrid{2147483647, 65535, 65535};
constexpr std::uint64_t kRegistersPerBlock = 65536;

constexpr std::string_view kInvalidCluster = "CUDA_ERROR_INVALID_CLUSTER_SIZE";

struct Reason {
  std::string what, fix;
};

std::string text_of(const Dim3& shape) { return fmt::format("{}x{}x{}", shape.x, shape.y, shape.z); }

std::optional<Reason> shape_problem(const char* name, const Dim3& shape, const Dim3& largest) {
  if (shape.volume() == 0)
    return Reason{fmt::format("the {} is {}, which is empty", name, text_of(shape)),
                  "make every side at least 1"};
  if (shape.x > largest.x || shape.y > largest.y || shape.z > largest.z)
    return Reason{fmt::format("the {} is {}; the card allows {}", name, text_of(shape), text_of(largest)),
                  fmt::format("use a smaller {}, or spread it over more dimensions", name)};
  return std::nullopt;
}

std::optional<Reason> thread_problem(const Launch& launch, const DeviceInfo& info) {
  if (launch.block.volume() <= info.max_threads_per_block) return std::nullopt;
  return Reason{fmt::format("a block of {} has {} threads; the card allows {}", text_of(launch.block),
                            launch.block.volume(), info.max_threads_per_block),
                "use fewer threads a block and more blocks"};
}

std::optional<Reason> shared_problem(const Launch& launch, const DeviceInfo& info) {
  const std::size_t needed = launch.kernel->static_shared_bytes + launch.shared_bytes;
  if (needed <= info.max_shared_per_block_optin) return std::nullopt;
  return Reason{fmt::format("a block needs {} bytes of shared memory; the card has {}", needed,
                            info.max_shared_per_block_optin),
                "use a smaller tile"};
}

std::optional<Reason> register_problem(const Launch& launch) {
  const std::uint64_t registers = static_cast<std::uint64_t>(launch.kernel->registers.value_or(0));
  if (registers * launch.block.volume() <= kRegistersPerBlock) return std::nullopt;
  return Reason{
      fmt::format("{} threads with {} registers each need more than the {} registers of a multiprocessor",
                  launch.block.volume(), registers, kRegistersPerBlock),
      "use fewer threads a block, or __launch_bounds__ to have the compiler use fewer registers"};
}

// Clusters that the launch asks for; a kernel's own (__cluster_dims__) are known to the card alone.
std::optional<Reason> cluster_problem(const Launch& launch, const std::string& cuda_error) {
  constexpr std::uint64_t kMostBlocks = 8;  // that every card with clusters takes
  const Dim3 &grid = launch.grid, &cluster = launch.cluster;
  if (cluster.volume() == 0) {
    if (cuda_error != kInvalidCluster) return std::nullopt;
    return Reason{
        fmt::format("the grid is {}, which the clusters of the kernel (__cluster_dims__) do not divide",
                    text_of(grid)),
        "make every side of the grid a multiple of the cluster's"};
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return Reason{fmt::format("the grid is {}, which clusters of {} blocks do not divide", text_of(grid),
                              text_of(cluster)),
                  "make every side of the grid a multiple of the cluster's"};
  if (cluster.volume() > kMostBlocks)
    return Reason{fmt::format("a cluster of {} has {} blocks; every card with clusters takes {}",
                              text_of(cluster), cluster.volume(), kMostBlocks),
                  "use smaller clusters"};
  if (cuda_error != kInvalidCluster) return std::nullopt;
  return Reason{fmt::format("the card does not take clusters of {} blocks for this kernel", text_of(cluster)),
                "leave --cluster out, or give it the kernel's own __cluster_dims__"};
}

Reason why_refused(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error) {
  for (const auto& problem :
       {shape_problem("grid", launch.grid, kLargestGrid), shape_problem("block", launch.block, kLargestBlock),
        thread_problem(launch, info), cluster_problem(launch, cuda_error), shared_problem(launch, info),
        register_problem(launch)})
    if (problem) return *problem;
  return {"the card refused the launch", "look the error up in the CUDA driver API's list of errors"};
}

constexpr const char* kAskVirtual = "run it with --device virtual, which names the line and the thread";

// What a card says about a kernel that went wrong (CUDA driver API, CUresult), and what that means.
struct Fault {
  std::string_view cuda_error;
  HazardKind kind;
  const char* what;
  const char* fix;
};
constexpr std::array kFaults{
    Fault{"CUDA_ERROR_ILLEGAL_ADDRESS", HazardKind::kOutOfBounds,
          "reads or writes memory that it was not given",
          "guard the index (`if (i < n)`); --device virtual names the line, the thread and the buffer"},
    Fault{"CUDA_ERROR_MISALIGNED_ADDRESS", HazardKind::kMisaligned,
          "reads or writes an address that is not a multiple of the access's size", kAskVirtual},
    Fault{"CUDA_ERROR_INVALID_ADDRESS_SPACE", HazardKind::kOutOfBounds,
          "uses an address in a kind of memory that the instruction cannot reach", kAskVirtual},
    Fault{"CUDA_ERROR_INVALID_PC", HazardKind::kTrap, "jumps to an address that holds no code", kAskVirtual},
    Fault{"CUDA_ERROR_ILLEGAL_INSTRUCTION", HazardKind::kTrap, "executes an illegal instruction",
          kAskVirtual},
    Fault{"CUDA_ERROR_HARDWARE_STACK_ERROR", HazardKind::kStackOverflow, "overflows its stack",
          "use less recursion or smaller local arrays"},
    Fault{"CUDA_ERROR_ASSERT", HazardKind::kAssertion, "fails an assertion", kAskVirtual},
    Fault{"CUDA_ERROR_LAUNCH_FAILED", HazardKind::kTrap,
          "stops with a fault: a trap, or an access that the card cannot place", kAskVirtual},
    Fault{"CUDA_ERROR_LAUNCH_TIMEOUT", HazardKind::kStepLimit,
          "runs longer than the GPU's display driver allows",
          "make it end sooner, or use a GPU without a display"},
};

Hazard hazard_of(const Launch& launch, HazardKind kind, std::string what, std::string fix,
                 const std::string& cuda_error) {
  Hazard hazard;
  hazard.kind = kind;
  hazard.kernel = launch.kernel->name;
  hazard.what = std::move(what);
  hazard.fix = std::move(fix);
  hazard.cuda_error = cuda_error;
  return hazard;
}

}  // namespace

void check_arguments(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  if (launch.arguments.size() != kernel.parameters.size())
    throw usage_error("kernel `{}` takes {} arguments, and {} were given", kernel.name,
                      kernel.parameters.size(), launch.arguments.size());
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::size_t given = launch.arguments[i].bytes().size(), wanted = kernel.parameters[i].bytes;
    if (given != wanted)
      throw usage_error("argument {} of kernel `{}` has {} bytes, and its parameter has {} (.{} in PTX)",
                        i + 1, kernel.name, given, wanted, kernel.parameters[i].ptx_type);
  }
}

Hazard refused_launch(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error) {
  auto [what, fix] = why_refused(launch, info, cuda_error);
  return hazard_of(launch, HazardKind::kInvalidLaunch, std::move(what), std::move(fix), cuda_error);
}

std::optional<Hazard> kernel_fault(const Launch& launch, const std::string& cuda_error) {
  for (const Fault& fault : kFaults)
    if (fault.cuda_error == cuda_error)
      return hazard_of(launch, fault.kind, fault.what, fault.fix, cuda_error);
  return std::nullopt;
}

}  // namespace cudalab::device
