// Barriers of a block: when one opens, whom that orders, and which threads have not come.
#pragma once

#include "vgpu/block.h"

namespace cudalab::vgpu {

// Opens the barriers that have seen all the threads they wait for.
void open_barriers(Block& block);

// The same for one that names its number of threads, as soon as they have arrived: whoever else comes waits
// for the next time. Returns whether it opened.
bool open_if_complete(Block& block, int barrier);

}  // namespace cudalab::vgpu
