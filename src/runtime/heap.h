// The heap of the C library, which the runtime shares with the program.
#pragma once

namespace cudalab::runtime {

// Allocates the free blocks of the heap and keeps them, after freeing those that the last call kept. The
// program's next allocations are then fresh memory, which is zero, as without the virtual GPU. Otherwise they
// would contain data that the runtime has freed. Not thread-safe.
void keep_free_memory();

}  // namespace cudalab::runtime
