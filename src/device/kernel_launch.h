// Before a launch: finds a module's kernel by name, checks arguments and limits, and lets a viewer look into
// it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "device/device.h"
#include "ptx/module.h"
#include "vgpu/warp_trace.h"

namespace cudalab::device {

// The kernels of a module as a launch needs them, found by the names that a user may give them.

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

// What is wrong with a launch, in words: arguments that do not fit, limits exceeded, and the faults a card
// reports.

// Throws Error(kUsage) unless the arguments are as many and as large as the kernel's parameters.
void check_arguments(const Launch& launch);

// The hazard of a launch that a card refused with the error `cuda_error`.
Hazard refused_launch(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error);

// The hazard of a kernel that ended with the error `cuda_error`; nothing where that is not a kernel's doing.
std::optional<Hazard> kernel_fault(const Launch& launch, const std::string& cuda_error);

// A launch on the virtual GPU as somebody sees it who looks into it before it happens, as often as wanted.
// Nothing in the device's memory is changed by looking.

class LaunchView {
 public:
  virtual ~LaunchView() = default;
  virtual const std::string& kernel() const = 0;  // as the source spells it
  virtual const std::string& file() const = 0;    // of the source, as its lines name it
  // Macros that the compiler was told; {"TILE", "32"}.
  virtual std::vector<std::pair<std::string, std::string>> defines() const { return {}; }
  virtual Dim3 grid() const = 0;
  virtual Dim3 block() const = 0;
  // Throws Error(kUsage) for a block or a warp that there is not, and for what the card refuses.
  virtual vgpu::WarpTrace trace(const vgpu::TraceRequest& wanted) = 0;
  // What the whole launch comes to.
  virtual LaunchResult rehearse() = 0;
};

}  // namespace cudalab::device
