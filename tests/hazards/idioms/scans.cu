// Incorrect prefix sums.
extern "C" __global__ void in_place_one_barrier(const int* in, int* out) {
  __shared__ int sums[128];
  const int t = threadIdx.x;
  sums[t] = in[t];
  for (int distance = 1; distance < 128; distance *= 2) {
    __syncthreads();
    if (t >= distance) sums[t] += sums[t - distance];  // here
  }
  out[t] = sums[t];
}
// run: --kernel in_place_one_barrier --grid 1 --block 128 --arg buf:i32:128:iota --arg buf:i32:128

extern "C" __global__ void buffers_not_swapped(const int* in, int* out) {
  __shared__ int sums[2][64];
  const int t = threadIdx.x;
  sums[0][t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < 64; distance *= 2) {
    sums[1][t] = sums[0][t] + (t >= distance ? sums[0][t - distance] : 0);  // other
    sums[0][t] = sums[1][t];                                                // here
    __syncthreads();
  }
  out[t] = sums[0][t];
}
// run: --kernel buffers_not_swapped --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64

// The sums of the warps are read before all of them are written.
extern "C" __global__ void warps_not_awaited(const int* in, int* out) {
  __shared__ int of_warp[4];
  const int t = threadIdx.x;
  int sum = in[t];
  for (int distance = 1; distance < 32; distance *= 2) {
    const int below = __shfl_up_sync(0xffffffffu, sum, distance);
    if (t % 32 >= distance) sum += below;
  }
  if (t % 32 == 31) of_warp[t / 32] = sum;             // other
  for (int w = 0; w < t / 32; ++w) sum += of_warp[w];  // here
  out[t] = sum;
}
// run: --kernel warps_not_awaited --grid 1 --block 128 --arg buf:i32:128:iota --arg buf:i32:128

// Writes one element past the end of the array.
extern "C" __global__ void inclusive_by_one(const int* in, int* out) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t + 1] = in[t];  // here
  __syncthreads();
  out[t] = sums[t];
}
// run: --kernel inclusive_by_one --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64

// The prefix is published before the fence instead of after it.
extern "C" __global__ void flag_before_the_sum(const int* in, int* out, int* prefix, volatile int* flag) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (flag[blockIdx.x - 1] == 0) {
    }
    before = prefix[blockIdx.x - 1];  // here
  }
  flag[blockIdx.x] = 1;
  __threadfence();
  prefix[blockIdx.x] = before + in[blockIdx.x];  // other
  out[blockIdx.x] = before;
}
// run: --kernel flag_before_the_sum --grid 4 --block 32 --arg buf:i32:4:iota --arg buf:i32:4 --arg buf:i32:4:zero --arg buf:i32:4:zero
