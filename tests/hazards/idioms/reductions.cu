// Incorrect reductions.
constexpr unsigned kAll = 0xffffffffu;

// No barrier between the steps.
extern "C" __global__ void no_barrier_in_the_loop(const float* in, float* out) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2)
    if (t < half) sums[t] += sums[t + half];  // here
  if (t == 0) *out = sums[0];
}
// run: --kernel no_barrier_in_the_loop --grid 1 --block 256 --arg buf:f32:256:random --arg buf:f32:1

// The barrier is inside the branch.
extern "C" __global__ void barrier_in_the_branch(const float* in, float* out) {
  __shared__ float sums[64];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) {
      sums[t] += sums[t + half];
      __syncthreads();  // here
    }
  }
  if (t == 0) *out = sums[0];
}
// run: --kernel barrier_in_the_branch --grid 1 --block 64 --arg buf:f32:64:random --arg buf:f32:1

// The last warp assumes that its lanes run in lockstep.
extern "C" __global__ void warp_without_barrier(const int* in, int* out) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  if (t < 32) {
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
    sums[t] += sums[t + 4];
    sums[t] += sums[t + 2];
    sums[t] += sums[t + 1];  // here
  }
  if (t == 0) *out = sums[0];
}
// run: --kernel warp_without_barrier --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:1

// All threads add to one word.
extern "C" __global__ void plain_sum(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *out += in[i];  // here
}
// run: --kernel plain_sum --grid 4 --block 64 --arg buf:i32:256:iota --arg buf:i32:1:zero --arg i32:256

// The same in one warp: every lane reads the same old value.
extern "C" __global__ void plain_sum_of_a_warp(const int* in, int* out) {
  out[0] = out[0] + in[threadIdx.x];  // here
}
// run: --kernel plain_sum_of_a_warp --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:1:zero

// The lanes beyond n exit, but the others read from them.
extern "C" __global__ void sum_without_the_rest(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    int sum = in[i];
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_down_sync(kAll, sum, distance);  // here
    if (i == 0) *out = sum;
  }
}
// run: --kernel sum_without_the_rest --grid 1 --block 32 --arg buf:i32:20:iota --arg buf:i32:1 --arg i32:20

// Half of the warp shuffles and reads from the other half.
extern "C" __global__ void half_a_warp_shuffles(const float* in, float* out) {
  float value = in[threadIdx.x];
  if (threadIdx.x < 16) value += __shfl_down_sync(kAll, value, 8);  // here
  out[threadIdx.x] = value;
}
// run: --kernel half_a_warp_shuffles --grid 1 --block 32 --arg buf:f32:32:random --arg buf:f32:32

// The mask lacks lanes that are read.
extern "C" __global__ void mask_too_small(const float* in, float* out) {
  float value = in[threadIdx.x];
  if (threadIdx.x < 16) value = __shfl_sync(0xffff, value, 20);  // here
  out[threadIdx.x] = value;
}
// run: --kernel mask_too_small --grid 1 --block 32 --arg buf:f32:32:random --arg buf:f32:32

// The array has a slot for each warp, but not all slots are filled.
extern "C" __global__ void too_few_warps(const float* in, float* out) {
  __shared__ float of_warp[8];
  const int lane = threadIdx.x % 32;
  float sum = in[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (lane == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < 8; ++w) total += of_warp[w];  // here
    *out = total;
  }
}
// run: --kernel too_few_warps --grid 1 --block 128 --arg buf:f32:128:random --arg buf:f32:1

// The sum is never set to zero.
extern "C" __global__ void sum_not_cleared(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    for (int k = 0; k < n; ++k) out[0] += in[k];  // here
}
// run: --kernel sum_not_cleared --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:1 --arg i32:32

// Blocks add results that other blocks of the same launch write.
extern "C" __global__ void sum_of_partial_sums(const int* in, int* partial, int* out) {
  if (threadIdx.x == 0) partial[blockIdx.x] = in[blockIdx.x];  // other
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // here
    *out = sum;
  }
}
// run: --kernel sum_of_partial_sums --grid 6 --block 32 --arg buf:i32:6:iota --arg buf:i32:6 --arg buf:i32:1

// The last block adds the sums, but without the fence that publishes the partial sums.
extern "C" __global__ void no_fence_before_the_ticket(const int* in, int* partial, unsigned* ticket,
                                                      int* out) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];  // other
  if (atomicAdd(ticket, 1u) != gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // here
  *out = sum;
}
// run: --kernel no_fence_before_the_ticket --grid 6 --block 32 --arg buf:i32:6:iota --arg buf:i32:6 --arg buf:u32:1:zero --arg buf:i32:1
