// Lanes read each other's registers: a sum over the warp, a running sum, a broadcast and a reversal.
constexpr unsigned kAll = 0xffffffffu;

// out[w] = the sum of warp w's 32 elements.
extern "C" __global__ void warp_sums(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = in[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

// The same with a butterfly: every lane gets the sum.
extern "C" __global__ void warp_sums_everywhere(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = in[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAll, sum, distance);
  out[i] = sum;
}

// out[i] = the sum of the elements of i's warp up to and including i.
extern "C" __global__ void warp_scan(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  int sum = in[i];
  for (int distance = 1; distance < 32; distance *= 2) {
    const int below = __shfl_up_sync(kAll, sum, distance);
    if (lane >= distance) sum += below;
  }
  out[i] = sum;
}

// Each group of 8 lanes reverses its elements and subtracts the group's first.
extern "C" __global__ void reverse_groups(const double* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double mirrored = __shfl_sync(kAll, in[i], 7 - threadIdx.x % 8, 8);
  out[i] = mirrored - __shfl_sync(kAll, in[i], 0, 8);
}

// run: --kernel warp_sums --grid 2 --block 64 --arg buf:f32:128:random --arg buf:f32:4
// run: --kernel warp_sums_everywhere --grid 2 --block 64 --arg buf:i32:128:iota --arg buf:i32:128
// run: --kernel warp_scan --grid 2 --block 64 --arg buf:i32:128:iota --arg buf:i32:128
// run: --kernel reverse_groups --grid 2 --block 64 --arg buf:f64:128:random --arg buf:f64:128
