// cooperative_groups::memcpy_async and wait. The copy is complete when memcpy_async returns; wait() synchronizes the
// group, so its threads see all elements.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T>
CUDALAB_TEMPLATE void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class Group>
CUDALAB_TEMPLATE void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
CUDALAB_TEMPLATE void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
