// Prepares launches: finds a kernel by name, checks arguments and limits, and lets a viewer inspect the
// launch.
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
#include "ptx/silence.h"
#include "vgpu/data_flow.h"
#include "vgpu/warp_trace.h"

namespace cudalab::device {

// Finds the kernels of a module by the names that a user may use.

// A kernel can be named by its PTX symbol, by its name in the source, or by a name expression of its
// compilation. The source name can have template arguments (blanks are ignored); without them it must be
// unambiguous.
class KernelTable {
 public:
  KernelTable(const compile::CompiledSource& source, const ptx::Module& module);

  std::span<Kernel> kernels() { return kernels_; }
  std::span<const Kernel> kernels() const { return kernels_; }
  // Throw Error(kUsage) as described for Program::kernel and Program::variable.
  const Kernel& kernel(const std::string& name) const;
  const std::string& variable_symbol(const std::string& name) const;

 private:
  using Names = std::map<std::string, std::set<std::string>>;  // from a name without blanks to symbols

  std::string file_name_;
  std::vector<Kernel> kernels_;
  Names kernel_symbols_, variable_symbols_;
};

// "_Z2mmIfLi16EEvPT_" -> "mm<float, 16>". A symbol that is not mangled stays unchanged. Unnamed namespaces
// are removed.
std::string source_name(const std::string& symbol);

// "mm<float, 16>" -> "mm"
std::string without_template_arguments(const std::string& name);

// Explains why a launch is invalid: mismatched arguments, exceeded limits, and the faults that a GPU reports.

// Throws Error(kUsage) unless number and sizes of the arguments match the kernel's parameters.
void check_arguments(const Launch& launch);

// The hazard for a launch that a GPU refuses with the error `cuda_error`.
Hazard refused_launch(const Launch& launch, const DeviceInfo& info, const std::string& cuda_error);

// The hazard for a kernel that ended with the error `cuda_error`; empty if the kernel does not cause such an
// error.
std::optional<Hazard> kernel_fault(const Launch& launch, const std::string& cuda_error);

// A view of a launch on the virtual GPU before it happens. Inspecting a launch any number of times changes
// nothing in device memory.

class LaunchView {
 public:
  virtual ~LaunchView() = default;
  virtual const std::string& kernel() const = 0;  // as in the source
  virtual const std::string& file() const = 0;    // source file, as in its line numbers
  // Macros of the compilation, such as {"TILE", "32"}.
  virtual std::vector<std::pair<std::string, std::string>> defines() const { return {}; }
  virtual const LaunchSpec& spec() const = 0;
  // Throws Error(kUsage) if the block or warp does not exist, or if the GPU would refuse the launch.
  virtual vgpu::WarpTrace trace(const vgpu::TraceRequest& wanted) = 0;
  // The result of the whole launch.
  virtual LaunchResult rehearse() = 0;
  // Which share of the outputs depends on inputs only through these statements of the kernel. Empty if the
  // launch cannot be repeated.
  virtual vgpu::DataFlow data_flow(ptx::Carriers, std::uint64_t /*seed*/) { return {}; }
};

}  // namespace cudalab::device
