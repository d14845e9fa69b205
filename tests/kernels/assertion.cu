// An assertion that fails in threads with negative values.
#include <cassert>

extern "C" __global__ void assert_positive(const int* in, int* out) {
  assert(in[threadIdx.x] >= 0);
  out[threadIdx.x] = in[threadIdx.x];
}

// run: --kernel assert_positive --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64
