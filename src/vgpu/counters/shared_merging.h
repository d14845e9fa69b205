// Finds the shared loads that ptxas merges: neighbouring ld.shared with a common base become LDS.64 and
// LDS.128, and the GPU counts the merged loads. Derived from the machine code of ptxas 13.0 for sm_90
// (docs/counters.md, "Shared memory"), and compared with counters of register-blocked kernels on an H200.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "ptx/module.h"

namespace cudalab::vgpu {

// For each load that is part of a merged load (by its index in Function::body): the merged width in bytes on
// the load with the lowest address, 0 on the others. The merged load begins at that address, rounded down to
// a multiple of its width. Unmerged loads are not contained.
using MergedLoads = std::map<std::size_t, int>;

// `symbol_offset` returns the address of a shared variable. Loads are merged if they are in straight-line
// code without an instruction between them that writes or orders shared memory, if their addresses differ by
// a constant, and if their common part is known to be a multiple of the merged width:
//   three or four elements of 2 or 4 bytes in an aligned window of four become one load of the window,
//   two elements of 2, 4 or 8 bytes in an aligned window of two become one load of the window,
//   and a repeated load of the same address is removed.
MergedLoads find_merged_loads(const ptx::Function& function,
                              const std::function<std::uint64_t(const std::string&)>& symbol_offset);

}  // namespace cudalab::vgpu
