// What a bulk copy, or a store that an mbarrier counts, does: decided when it is decoded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudalab::vgpu {

// Combines the elements at `from` with those in memory.
using Reduction = void (*)(std::byte* memory, const std::byte* from, std::size_t bytes);

struct BulkOp {
  bool to_global = false, from_global = false;    // else shared memory
  bool in_groups = false;                         // else an mbarrier counts its bytes
  bool has_ranks = false;                         // .multicast::cluster
  Reduction reduce = nullptr;                     // nullptr: copies
  std::uint32_t elements = 0, element_bytes = 0;  // of st.async and red.async
};

}  // namespace cudalab::vgpu
