// A launch on the virtual GPU as somebody sees it who looks into it before it happens, as often as wanted.
// Nothing in the device's memory is changed by looking.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "vgpu/warp_trace.h"

namespace cudalab::device {

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
