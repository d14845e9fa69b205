// Operations of reduce and scan, as the CUDA C++ Programming Guide lists them.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define CUDALAB_OPERATION(name, result)                                \
  template <class T>                                                   \
  struct name {                                                        \
    CUDALAB_MEMBER T operator()(T a, T b) const { return result; }     \
  };
CUDALAB_OPERATION(plus, a + b)
CUDALAB_OPERATION(less, b < a ? b : a)
CUDALAB_OPERATION(greater, a < b ? b : a)
CUDALAB_OPERATION(bit_and, a& b)
CUDALAB_OPERATION(bit_or, a | b)
CUDALAB_OPERATION(bit_xor, a ^ b)
#undef CUDALAB_OPERATION

}  // namespace cooperative_groups
