// cooperative_groups::reduce for tiles and coalesced groups: in five steps of shuffles for 32 lanes, or in one
// instruction for integers of a warp or of a coalesced group, as NVIDIA's.
#pragma once

#include "detail.h"

namespace cooperative_groups {
namespace detail {

// The warp's instruction for an operation on 32-bit integers: compute capability 8.0.
template <class T, class Operation>
struct warp_reduction {
  static constexpr bool exists = false;
};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CUDALAB_REDUCTION(type, operation, function)                                                    \
  template <>                                                                                           \
  struct warp_reduction<type, operation<type>> {                                                        \
    static constexpr bool exists = true;                                                                \
    CUDALAB_STATIC_MEMBER type of(unsigned mask, type value) { return (type)function(mask, value); }    \
  };
CUDALAB_REDUCTION(int, plus, __reduce_add_sync)
CUDALAB_REDUCTION(unsigned, plus, __reduce_add_sync)
CUDALAB_REDUCTION(int, less, __reduce_min_sync)
CUDALAB_REDUCTION(unsigned, less, __reduce_min_sync)
CUDALAB_REDUCTION(int, greater, __reduce_max_sync)
CUDALAB_REDUCTION(unsigned, greater, __reduce_max_sync)
CUDALAB_REDUCTION(int, bit_and, __reduce_and_sync)
CUDALAB_REDUCTION(unsigned, bit_and, __reduce_and_sync)
CUDALAB_REDUCTION(int, bit_or, __reduce_or_sync)
CUDALAB_REDUCTION(unsigned, bit_or, __reduce_or_sync)
CUDALAB_REDUCTION(int, bit_xor, __reduce_xor_sync)
CUDALAB_REDUCTION(unsigned, bit_xor, __reduce_xor_sync)
#undef CUDALAB_REDUCTION
#endif

}  // namespace detail

template <unsigned Size, class Parent, class T, class Operation>
CUDALAB_TEMPLATE T reduce(const thread_block_tile<Size, Parent>& group, T value, Operation operation) {
  typedef detail::warp_reduction<T, Operation> instruction;
  if constexpr (Size == 32 && instruction::exists) return instruction::of(0xffffffffu, value);
  for (unsigned distance = Size / 2; distance > 0; distance /= 2)
    value = operation(value, group.shfl_xor(value, distance));
  return value;
}
template <class T, class Operation>
CUDALAB_TEMPLATE T reduce(const coalesced_group& group, T value, Operation operation) {
  typedef detail::warp_reduction<T, Operation> instruction;
  if constexpr (instruction::exists) return instruction::of(group.cudalab_mask(), value);
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = group.shfl_down(value, distance);
    if (rank + distance < size) value = operation(value, other);
  }
  return group.shfl(value, 0);
}
template <class Group, class T>
CUDALAB_TEMPLATE T reduce(const Group& group, T value) {
  return reduce(group, value, plus<T>());
}

}  // namespace cooperative_groups
