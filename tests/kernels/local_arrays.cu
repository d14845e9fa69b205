// An array with data-dependent indices is in local memory.
extern "C" __global__ void sort_small(const int* in, int* out) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = in[threadIdx.x * 8 + i];
  for (int i = 1; i < 8; ++i) {
    const int value = values[i];
    int k = i;
    for (; k > 0 && values[k - 1] > value; --k) values[k] = values[k - 1];
    values[k] = value;
  }
  for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = values[i];
}

extern "C" __global__ void count_digits(const unsigned* in, int* out) {
  int counts[10] = {};
  for (unsigned rest = in[threadIdx.x]; rest != 0; rest /= 10) ++counts[rest % 10];
  int most = 0;
#pragma unroll 1
  for (int digit = 1; digit < 10; ++digit)
    if (counts[digit] > counts[most]) most = digit;
  out[threadIdx.x] = most;
}

// run: --kernel sort_small --grid 1 --block 32 --arg buf:i32:256:random --arg buf:i32:256
// run: --kernel count_digits --grid 1 --block 32 --arg buf:u32:32:random --arg buf:i32:32
