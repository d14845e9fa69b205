// Prints from the kernel: integers, floats, strings and values behind pointers, several per line.
#ifndef __CUDACC_RTC__
#include <cstdio>
#endif

extern "C" __global__ void greet(const float* values) {
  printf("thread %d of block %d has %.3f\n", threadIdx.x, blockIdx.x, values[threadIdx.x]);
  if (threadIdx.x == 0)
    printf("%s %c %5u|%-5d|%05.1f|%llx %e %%\n", "text", 'c', 7u, -7, 2.25, 0x1234567890abcdefull, 1e10);
}

// run: --kernel greet --grid 2 --block 3 --arg buf:f32:3:random
