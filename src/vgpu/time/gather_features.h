// From what the interpreter counted and traced to what the time model is fed with.
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

// What the requests of a site touch, on all host threads.
struct Touches {
  double lines = 0, pieces = 0;
  double wide = 0, tried = 0, passes_of_tried = 0;
  double passes = 0;  // through the L1
};

// Of the cell that most atomics go to.
struct MostWanted {
  double updates = 0;
  double of_one_word = 0;  // share
};

// What a launch cost by its instructions: counted, traced, and replayed through the caches. faults.h changes
// it to what the launch would cost without a fault.
struct LaunchCosts {
  std::vector<BasicBlockCount> counts;  // by basic block
  std::vector<SiteTotals> sites;
  std::vector<Touches> touches;  // by site
  Traffic traffic;
  double slice_updates = 0, slice_writes = 0;  // as in LaunchFeatures
  MostWanted most_wanted;
  bool has_spills = true;
  std::optional<TimedCode> code;  // in the place of the program's own
};

// `sites` and `counts`: of all host threads together.
LaunchCosts costs_of(const Launch& launch, const Occupancy& occupancy,
                     std::span<const BasicBlockCount> counts, std::span<const SiteTotals> sites,
                     std::span<AccessTrace* const> traces);

LaunchFeatures features_of(const Launch& launch, const Occupancy& occupancy, const LaunchCosts& costs,
                           std::span<AccessTrace* const> traces);

}  // namespace cudalab::vgpu
