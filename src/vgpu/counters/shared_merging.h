// Which shared loads ptxas merges: neighbouring ld.shared with a common base become LDS.64 and LDS.128, and
// the card counts those. Inferred from the counters in expected/h200/course_kernels.md, whose matmul rows it
// reproduces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "ptx/module.h"

namespace cudalab::vgpu {

// For a load (by its index in Function::body) that is part of a merged one: the merged width in bytes on the
// load with the lowest address, 0 on the others. Loads that stay as they are do not appear.
using MergedLoads = std::map<std::size_t, int>;

// `symbol_offset` gives the address of a shared variable. Loads merge when they are in one straight line of
// code with no store, barrier or call between them, have the same base register, lie side by side, and when
// the address is known to be a multiple of the merged width.
MergedLoads find_merged_loads(const ptx::Function& function,
                              const std::function<std::uint64_t(const std::string&)>& symbol_offset);

}  // namespace cudalab::vgpu
