// cooperative_groups::inclusive_scan and exclusive_scan for tiles and coalesced groups.
#pragma once

#include "detail.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
CUDALAB_TEMPLATE T inclusive_scan(const Group& group, T value, Operation operation) {
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = group.shfl_up(value, distance);
    if (rank >= distance) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
CUDALAB_TEMPLATE T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
// The first lane gets a value-initialized T.
template <class Group, class T, class Operation>
CUDALAB_TEMPLATE T exclusive_scan(const Group& group, T value, Operation operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
CUDALAB_TEMPLATE T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
