// cooperative_groups::reduce for tiles and coalesced groups: in five steps of shuffles for 32 lanes.
#pragma once

#include "detail.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
CUDALAB_TEMPLATE T reduce(const Group& group, T value, Operation operation) {
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
