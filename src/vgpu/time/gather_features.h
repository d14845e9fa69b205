// Computes the inputs of the time model from the interpreter's counts and traces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/prediction.h"
#include "vgpu/block.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/time/cache_replay.h"
#include "vgpu/time/launch_features.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// Lines and 256-byte segments (`pieces`) that the requests of a site touch, summed over all host threads. The
// second line is as in SiteTouches.
struct Touches {
  double lines = 0, pieces = 0;
  double wide = 0, tried = 0, passes_of_tried = 0;
  double passes = 0;  // L1 wavefronts
};

// The most contended group of addresses of atomics (a cell of AccessTrace).
struct MostWanted {
  double updates = 0;
  double of_one_word = 0;  // share of `updates` that go to one or two words in turn
};

// Costs of a launch by instruction: counted, traced, and replayed through the caches. faults.cpp changes them
// to what the launch would cost without a fault.
struct LaunchCosts {
  std::vector<BasicBlockCount> counts;  // by basic block
  std::vector<SiteTotals> sites;
  std::vector<Touches> touches;  // by site
  Traffic traffic;
  double slice_updates = 0, slice_writes = 0;  // as in LaunchFeatures
  MostWanted most_wanted;
  bool has_spills = true;
  std::optional<TimedCode> code;  // replaces the program's own
};

// `sites` and `counts` are sums over all host threads.
LaunchCosts costs_of(const Launch& launch, const Occupancy& occupancy,
                     std::span<const BasicBlockCount> counts, std::span<const SiteTotals> sites,
                     std::span<AccessTrace* const> traces);

LaunchFeatures features_of(const Launch& launch, const Occupancy& occupancy, const LaunchCosts& costs,
                           std::span<AccessTrace* const> traces);

}  // namespace cudalab::vgpu
