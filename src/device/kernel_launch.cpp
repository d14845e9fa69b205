// Prepares launches: finds a kernel by name, checks arguments and limits, and explains refused launches and
// faults.
#include "device/kernel_launch.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "messages/device.h"
#include "messages/vgpu.h"

namespace cudalab::device {
namespace {

std::string demangled(const std::string& whole) {
  const std::string symbol(without_static_prefix(whole));
  if (!symbol.starts_with("_Z")) return symbol;  // the demangler would turn `a` into `signed char`
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

// Cuts the last balanced parentheses: "mm<float>(float*, int (*)(int))" -> "mm<float>".
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

// Removes unnamed namespaces, so the name is as in its file.
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

cudalab::Argument::List names_of(std::span<const Kernel> kernels) {
  cudalab::Argument::List names;
  for (const Kernel& kernel : kernels) names.emplace_back(kernel.name);
  return names;
}

}  // namespace

std::string without_template_arguments(const std::string& name) { return name.substr(0, name.find('<')); }

std::string source_name(const std::string& symbol) {
  std::string name = without_parameters(demangled(symbol));
  if (name.starts_with("void ")) name.erase(0, 5);  // demangled templates include their return type
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
    throw usage_error(msg::source_without_kernel(file_name_));
  if (found == kernel_symbols_.end())
    throw usage_error(msg::kernel_not_in_source(file_name_, Code{name}, names_of(kernels_)));
  if (found->second.size() > 1)
    throw usage_error(msg::kernel_name_ambiguous(
        Code{name}, file_name_, cudalab::Argument::List(found->second.begin(), found->second.end())));
  return *std::find_if(kernels_.begin(), kernels_.end(),
                       [&](const Kernel& kernel) { return kernel.symbol == *found->second.begin(); });
}

const std::string& KernelTable::variable_symbol(const std::string& name) const {
  const auto found = variable_symbols_.find(without_spaces(name));
  if (found == variable_symbols_.end() || found->second.size() > 1)
    throw usage_error(msg::variable_not_in_source(file_name_, Code{name}));
  return *found->second.begin();
}

namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". These limits apply to all
// GPUs since 5.0.
constexpr Dim3 kLargestBlock{1024, 1024, 64};
constexpr Dim3 kLargestGrid{2147483647, 65535, 65535};
constexpr std::uint64_t kRegistersPerBlock = 65536;

constexpr std::string_view kInvalidCluster = "CUDA_ERROR_INVALID_CLUSTER_SIZE";

struct Reason {
  Message what, fix;
};

std::string text_of(const Dim3& shape) { return fmt::format("{}x{}x{}", shape.x, shape.y, shape.z); }

bool exceeds(const Dim3& shape, const Dim3& largest) {
  return shape.x > largest.x || shape.y > largest.y || shape.z > largest.z;
}

std::optional<Reason> grid_problem(const Dim3& grid) {
  if (grid.volume() == 0)
    return Reason{msg::card_grid_empty(text_of(grid)), msg::advice_sides_at_least_one()};
  if (exceeds(grid, kLargestGrid))
    return Reason{msg::card_grid_too_large(text_of(grid), text_of(kLargestGrid)),
                  msg::advice_smaller_grid_or_spread()};
  return std::nullopt;
}

std::optional<Reason> block_problem(const Dim3& block) {
  if (block.volume() == 0)
    return Reason{msg::card_block_empty(text_of(block)), msg::advice_sides_at_least_one()};
  if (exceeds(block, kLargestBlock))
    return Reason{msg::card_block_too_large(text_of(block), text_of(kLargestBlock)),
                  msg::advice_smaller_block_or_spread()};
  return std::nullopt;
}

std::optional<Reason> thread_problem(const Launch& launch, const DeviceInfo& info) {
  if (launch.spec.block.volume() <= info.max_threads_per_block) return std::nullopt;
  return Reason{msg::card_block_threads_too_many(text_of(launch.spec.block), launch.spec.block.volume(),
                                                 info.max_threads_per_block),
                msg::advice_fewer_threads_more_blocks()};
}

std::optional<Reason> shared_problem(const Launch& launch, const DeviceInfo& info) {
  const std::size_t needed = launch.kernel->static_shared_bytes + launch.spec.dynamic_shared_bytes;
  if (needed <= info.max_shared_per_block_optin) return std::nullopt;
  return Reason{msg::card_shared_memory_too_small(needed, info.max_shared_per_block_optin),
                msg::advice_smaller_tile()};
}

std::optional<Reason> register_problem(const Launch& launch) {
  const std::uint64_t registers = static_cast<std::uint64_t>(launch.kernel->registers.value_or(0));
  if (registers * launch.spec.block.volume() <= kRegistersPerBlock) return std::nullopt;
  return Reason{msg::card_registers_too_few(launch.spec.block.volume(), registers, kRegistersPerBlock),
                msg::advice_fewer_threads_or_registers()};
}

// Checks cluster sizes of the launch. The GPU itself checks those of a kernel (__cluster_dims__).
std::optional<Reason> cluster_problem(const Launch& launch, const std::string& cuda_error) {
  constexpr std::uint64_t kMostBlocks = 8;  // the maximum that every GPU with clusters supports
  const Dim3 &grid = launch.spec.grid, &cluster = launch.spec.cluster;
  if (cluster.volume() == 0) {
    if (cuda_error != kInvalidCluster) return std::nullopt;
    return Reason{msg::card_grid_not_in_own_clusters(text_of(grid)),
                  msg::advice_grid_sides_multiple_of_cluster()};
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return Reason{msg::card_grid_not_in_clusters(text_of(grid), text_of(cluster)),
                  msg::advice_grid_sides_multiple_of_cluster()};
  if (cluster.volume() > kMostBlocks)
    return Reason{msg::card_cluster_too_large(text_of(cluster), cluster.volume(), kMostBlocks),
                  msg::advice_smaller_clusters()};
  if (cuda_error != kInvalidCluster) return std::nullopt;
  return Reason{msg::card_cluster_refused(text_of(cluster)), msg::advice_leave_out_cluster()};
}

Reason why_refused(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error) {
  for (const auto& problem :
       {grid_problem(launch.spec.grid), block_problem(launch.spec.block), thread_problem(launch, info),
        cluster_problem(launch, cuda_error), shared_problem(launch, info), register_problem(launch)})
    if (problem) return *problem;
  return {msg::card_launch_refused(), msg::advice_look_up_driver_error()};
}

// A fault that a GPU reports (CUDA driver API, CUresult), and its meaning.
struct Fault {
  std::string_view cuda_error;
  HazardKind kind;
  Message (*what)();
  Message (*fix)();
};
constexpr std::array kFaults{
    Fault{"CUDA_ERROR_ILLEGAL_ADDRESS", HazardKind::kOutOfBounds, msg::fault_illegal_address,
          msg::advice_guard_index_or_ask_virtual},
    Fault{"CUDA_ERROR_MISALIGNED_ADDRESS", HazardKind::kMisaligned, msg::fault_misaligned_address,
          msg::advice_ask_virtual},
    Fault{"CUDA_ERROR_INVALID_ADDRESS_SPACE", HazardKind::kOutOfBounds, msg::fault_address_space,
          msg::advice_ask_virtual},
    Fault{"CUDA_ERROR_INVALID_PC", HazardKind::kTrap, msg::fault_jump_to_no_code, msg::advice_ask_virtual},
    Fault{"CUDA_ERROR_ILLEGAL_INSTRUCTION", HazardKind::kTrap, msg::fault_illegal_instruction,
          msg::advice_ask_virtual},
    Fault{"CUDA_ERROR_HARDWARE_STACK_ERROR", HazardKind::kStackOverflow, msg::fault_stack_overflow,
          msg::advice_less_recursion},
    Fault{"CUDA_ERROR_ASSERT", HazardKind::kAssertion, msg::fault_assertion, msg::advice_ask_virtual},
    Fault{"CUDA_ERROR_LAUNCH_FAILED", HazardKind::kTrap, msg::fault_stop, msg::advice_ask_virtual},
    Fault{"CUDA_ERROR_LAUNCH_TIMEOUT", HazardKind::kStepLimit, msg::fault_display_timeout,
          msg::advice_end_sooner},
};

Hazard hazard_of(const Launch& launch, HazardKind kind, Message what, Message fix,
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
    throw usage_error(
        msg::arguments_count_wrong(Code{kernel.name}, kernel.parameters.size(), launch.arguments.size()));
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::size_t given = launch.arguments[i].bytes().size(), wanted = kernel.parameters[i].bytes;
    if (given != wanted)
      throw usage_error(
          msg::argument_size_wrong(i + 1, Code{kernel.name}, given, wanted, kernel.parameters[i].ptx_type));
  }
}

Hazard refused_launch(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error) {
  auto [what, fix] = why_refused(launch, info, cuda_error);
  return hazard_of(launch, HazardKind::kInvalidLaunch, std::move(what), std::move(fix), cuda_error);
}

std::optional<Hazard> kernel_fault(const Launch& launch, const std::string& cuda_error) {
  for (const Fault& fault : kFaults)
    if (fault.cuda_error == cuda_error)
      return hazard_of(launch, fault.kind, fault.what(), fault.fix(), cuda_error);
  return std::nullopt;
}

}  // namespace cudalab::device
