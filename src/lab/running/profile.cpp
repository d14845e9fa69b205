// A GPU's own counters in the rows of a result.
#include "lab/running/profile.h"

#include <numeric>

#include "core/error.h"
#include "core/merge.h"

namespace cudalab::lab {

void add_profile(Result& result, std::span<const Counters> kernels) {
  const std::size_t launches =
      std::accumulate(result.rows.begin(), result.rows.end(), std::size_t{0},
                      [](std::size_t sum, const Row& row) { return sum + row.launches; });
  if (launches != kernels.size())
    throw unavailable_error("Nsight Compute measured {} kernels, and {} were launched; run without --profile",
                            kernels.size(), launches);
  for (Row& row : result.rows) {
    if (row.launches == 0) continue;
    LaunchResult total;
    for (const Counters& counters : kernels.first(row.launches)) {
      LaunchResult launch;
      launch.counters = counters;
      add_launch(total, launch);
    }
    kernels = kernels.subspan(row.launches);
    row.counters = total.counters;
    row.is_profiled = true;
  }
}

}  // namespace cudalab::lab
