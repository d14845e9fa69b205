// Which shared loads ptxas merges: neighbouring ld.shared with a common base become LDS.64 and LDS.128, and
// the card counts those. Read off the machine code that ptxas 13.0 makes for sm_90 (docs/counters.md, "Shared
// memory"), and compared with the counters of register-blocked kernels on an H200.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "ptx/module.h"

namespace cudalab::vgpu {

// For a load (by its index in Function::body) that is part of a merged one: the merged width in bytes on the
// load with the lowest address, 0 on the others. The merged load begins at the multiple of its width at or
// below that address. Loads that stay as they are do not appear.
using MergedLoads = std::map<std::size_t, int>;

// `symbol_offset` gives the address of a shared variable. Loads merge when they are in one straight line of
// code with nothing between them that writes shared memory or orders it, when their addresses differ by a
// constant, and when what they differ from is known to be a multiple of the merged width:
//   three or four elements of 2 or 4 bytes in an aligned window of four become one load of the window,
//   two elements of 2, 4 or 8 bytes in an aligned window of two one load of these,
//   and a place that is loaded again is not loaded again.
MergedLoads find_merged_loads(const ptx::Function& function,
                              const std::function<std::uint64_t(const std::string&)>& symbol_offset);

}  // namespace cudalab::vgpu
