// `--profile`: this command once more under Nsight Compute.
#pragma once

#include "cli/terminal/console.h"
#include "lab/result.h"

namespace cudalab::cli {

// The option that the command is run again with.
inline constexpr const char* kProfiled = "--profiled";

// Fills the counters of a result from a GPU; leaves one from the virtual GPU, which counts by itself, as it
// is. Throws Error(kUnavailable) where Nsight Compute is missing or may not read the counters.
void add_own_counters(lab::Result& result, const Console& console);

}  // namespace cudalab::cli
