// Asynchronous copies from global to shared memory, as the CUDA C++ Programming Guide describes the pipeline primitives.
#pragma once

#include "cuda_runtime.h"

// Copies 4, 8 or 16 bytes; the last `zfill` of them become zero instead.
CUDALAB_DEVICE void __pipeline_memcpy_async(void* __restrict__ shared, const void* __restrict__ global, size_t bytes,
                                            size_t zfill = 0) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(shared), read = (unsigned)(bytes - zfill);
#define CUDALAB_COPY(size, cache)                                                                      \
  if (bytes == size)                                                                                   \
    asm volatile("cp.async." cache ".shared.global [%0], [%1], " #size ", %2;" ::"r"(to), "l"(global), \
                 "r"(read)                                                                             \
                 : "memory");
  CUDALAB_COPY(4, "ca")
  CUDALAB_COPY(8, "ca")
  CUDALAB_COPY(16, "cg")
#undef CUDALAB_COPY
}

CUDALAB_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `prior` commits of this thread are in flight. The instruction's operand is a constant, here up to 8:
// waiting for more than was asked is always correct.
CUDALAB_DEVICE void __pipeline_wait_prior(size_t prior) {
  switch (prior) {
#define CUDALAB_WAIT(n) \
  case n: asm volatile("cp.async.wait_group " #n ";" ::: "memory"); break;
    CUDALAB_WAIT(0)
    CUDALAB_WAIT(1)
    CUDALAB_WAIT(2)
    CUDALAB_WAIT(3)
    CUDALAB_WAIT(4)
    CUDALAB_WAIT(5)
    CUDALAB_WAIT(6)
    CUDALAB_WAIT(7)
#undef CUDALAB_WAIT
    default: asm volatile("cp.async.wait_group 8;" ::: "memory");
  }
}
