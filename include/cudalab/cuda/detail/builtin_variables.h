// threadIdx, blockIdx, blockDim, gridDim and warpSize: each member is read from its special register.
#pragma once

#include "qualifiers.h"

#define CUDALAB_COORDINATE(name, register_name)                      \
  __declspec(property(get = cudalab_get_##name)) unsigned name;  \
  CUDALAB_DEVICE unsigned cudalab_get_##name() { return __nvvm_read_ptx_sreg_##register_name(); }

#define CUDALAB_VARIABLE(variable, register_name, vector)                                   \
  struct cudalab_##variable##_type {                                                        \
    CUDALAB_COORDINATE(x, register_name##_x)                                                    \
    CUDALAB_COORDINATE(y, register_name##_y)                                                    \
    CUDALAB_COORDINATE(z, register_name##_z)                                                    \
    __attribute__((device, nodebug)) operator vector() const { return vector{x, y, z}; }    \
    __attribute__((device)) cudalab_##variable##_type() = delete;                           \
    __attribute__((device)) cudalab_##variable##_type(const cudalab_##variable##_type&) = delete; \
    __attribute__((device)) void operator=(const cudalab_##variable##_type&) const = delete; \
  };                                                                                        \
  extern const __attribute__((device, weak)) cudalab_##variable##_type variable;

CUDALAB_VARIABLE(threadIdx, tid, uint3)
CUDALAB_VARIABLE(blockIdx, ctaid, uint3)
CUDALAB_VARIABLE(blockDim, ntid, dim3)
CUDALAB_VARIABLE(gridDim, nctaid, dim3)
#undef CUDALAB_VARIABLE
#undef CUDALAB_COORDINATE

static __attribute__((device, unused)) constexpr int warpSize = 32;
