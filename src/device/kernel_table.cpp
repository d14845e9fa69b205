// Demangling and looking up, for device/kernel_table.h.
#include "device/kernel_table.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

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

}  // namespace cudalab::device
