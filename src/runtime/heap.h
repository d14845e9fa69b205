// The program's heap, which the runtime shares.
#pragma once

namespace cudalab::runtime {

// Clears the free memory of the heap: what the runtime used and freed while it was made would else be found
// in the program's next `new double[n]`, where without the virtual GPU fresh memory is zero. The program's
// own blocks are not touched.
void clear_free_memory();

}  // namespace cudalab::runtime
