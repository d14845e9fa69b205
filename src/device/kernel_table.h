// The kernels of a module as a launch needs them, found by the names that a user may give them.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "ptx/module.h"

namespace cudalab::device {

// A kernel answers to its PTX symbol, to its name in the source (with template arguments, spaces ignored, or
// without where there is one instance), and to the name expressions of its compilation.
class KernelTable {
 public:
  KernelTable(const compile::CompiledSource& source, const ptx::Module& module);

  std::span<Kernel> kernels() { return kernels_; }
  std::span<const Kernel> kernels() const { return kernels_; }
  // Throws Error(kUsage), as Program::kernel and Program::variable say.
  const Kernel& kernel(const std::string& name) const;
  const std::string& variable_symbol(const std::string& name) const;

 private:
  using Names = std::map<std::string, std::set<std::string>>;  // a name without spaces -> symbols

  std::string file_name_;
  std::vector<Kernel> kernels_;
  Names kernel_symbols_, variable_symbols_;
};

// "_Z2mmIfLi16EEvPT_" -> "mm<float, 16>"; a symbol that is not mangled stays as it is. Unnamed namespaces
// are left out.
std::string source_name(const std::string& symbol);

// "mm<float, 16>" -> "mm"
std::string without_template_arguments(const std::string& name);

}  // namespace cudalab::device
