// Executes what the kernels of a launch requested from the device runtime: launches of children, copies and
// fills.
#pragma once

#include <functional>
#include <vector>

#include "core/measurement.h"
#include "vgpu/block.h"
#include "vgpu/builtins/device_runtime.h"

namespace cudalab::vgpu {

// Runs one launch with its own DeviceRuntime, and returns the work that it requested.
struct ChildRun {
  LaunchResult result;
  std::vector<PendingWork> work;
  std::uint64_t steps = 0;
};
// The position of a child in the tree of launches.
struct ChildPlace {
  int depth = 1;
  std::uint32_t number = SiblingRaces::kFirst;
};
using RunChild = std::function<ChildRun(const ChildLaunchRequest&, const ChildPlace&)>;

// Executes the work in stream order: each child with all work that it requests, then the next one. The
// children of each kernel are summed up in LaunchResult::children of `parent`, except for their text and
// hazards, which are added to those of `parent`. Stops at the first child that does not complete.
void run_children(const Program& program, GlobalMemory& memory, std::vector<PendingWork> work,
                  const RunChild& run, SiblingRaces& siblings, LaunchResult& parent);

}  // namespace cudalab::vgpu
