// Stepping through a launch on a full screen: what each key does.
#pragma once

#include "cli/step_target.h"
#include "vgpu/warp_trace.h"

namespace cudalab::cli {

struct ScreenStart {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  bool at_hazard = false;  // the first of the launch
  bool colour = true;
  std::string message;  // shown first
};

// Until the user leaves it. Throws Error(kUnavailable) where there is no screen.
void step_on_screen(TargetLaunch& launch, const ScreenStart& start, const Console& console);

}  // namespace cudalab::cli
