// Does what the kernels of a launch asked the card's run time for: launches of children, copies and fills.
#pragma once

#include <functional>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/builtins/device_runtime.h"

namespace cudalab::vgpu {

// Runs one launch with its own DeviceRuntime, and returns what it asked for.
struct ChildRun {
  LaunchResult result;
  std::vector<PendingWork> work;
  std::uint64_t steps = 0;
};
// What a child is among those that the launch brings about.
struct ChildPlace {
  int depth = 1;
  std::uint32_t number = SiblingRaces::kFirst;
};
using RunChild = std::function<ChildRun(const ChildLaunchRequest&, const ChildPlace&)>;

// In the order of a card's streams: each child with all that it asks for, then the next one. The children of
// a kernel are added up in LaunchResult::children of `parent`, but for their text and hazards, which are
// `parent`'s; it ends with the first that does not complete.
void run_children(const Program& program, GlobalMemory& memory, std::vector<PendingWork> work,
                  const RunChild& run, SiblingRaces& siblings, LaunchResult& parent);

}  // namespace cudalab::vgpu
