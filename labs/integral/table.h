// The launches' shape, and the step of the integral lab that reads f from a table.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/lab.h"

namespace cudalab::lab::integral {

inline constexpr std::uint32_t kBlock = 256;
inline constexpr std::uint32_t kBlocksEach = 8;  // for each multiprocessor: as many as it can hold

// table.cpp. `integral` is what must come out in the end; `computed_error` is that of the rectangle rule on f
// itself.
void integrate_from_table(LabRun& run, const Expression& f, double integral,
                          std::optional<double> computed_error);

}  // namespace cudalab::lab::integral
