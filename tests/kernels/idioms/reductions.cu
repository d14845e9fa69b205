// Sums, maxima and dot products, from the first tree to a single pass.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr unsigned kAll = 0xffffffffu;

// Interleaved addressing: the distance between working threads grows.
extern "C" __global__ void interleaved_sum(const float* in, float* out, int n) {
  __shared__ float sums[128];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
// run: --kernel interleaved_sum --grid 4 --block 128 --arg buf:f32:500:random --arg buf:f32:4 --arg i32:500

// Each thread adds two elements while loading.
extern "C" __global__ void first_add_sum(const int* in, int* out, int n) {
  extern __shared__ int partial[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  int sum = 0;
  if (i < n) sum = in[i];
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  partial[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
// run: --kernel first_add_sum --grid 3 --block 64 --shared 256 --arg buf:i32:300:iota --arg buf:i32:3 --arg i32:300

// The last warp continues alone, with __syncwarp() between its writes and reads.
extern "C" __global__ void last_warp_sum(const float* in, float* out) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 128) sums[t] += sums[t + 128];
  __syncthreads();
  if (t < 64) sums[t] += sums[t + 64];
  __syncthreads();
  if (t < 32) {
    float sum = sums[t] + sums[t + 32];
    for (int distance = 16; distance > 0; distance /= 2) {
      sums[t] = sum;
      __syncwarp();
      sum += sums[t ^ distance];
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = sum;
  }
}
// run: --kernel last_warp_sum --grid 2 --block 256 --arg buf:f32:512:random --arg buf:f32:2

__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(kAll, value, distance);
  return value;
}

// First each warp, then the sums of the warps.
extern "C" __global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = warp_sum(sum);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? of_warp[lane] : 0;
    sum = warp_sum(sum);
    if (lane == 0) atomicAdd(out, sum);
  }
}
// run: --kernel block_sum --grid 4 --block 160 --arg buf:f32:3000:random --arg buf:f32:1:zero --arg i32:3000

// Eight lanes add the sums of eight warps; the other lanes get values that are not used.
extern "C" __global__ void few_lanes_sum(const int* in, int* out) {
  __shared__ int of_warp[8];
  int sum = in[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAll, sum, distance);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = of_warp[threadIdx.x];
    for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_down_sync(0xff, sum, distance);
    if (threadIdx.x == 0) *out = sum;
  }
}
// run: --kernel few_lanes_sum --grid 1 --block 256 --arg buf:i32:256:iota --arg buf:i32:1

// The mask of lanes with an element is computed before the branch.
extern "C" __global__ void masked_sum(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  const unsigned mask = __ballot_sync(kAll, i < n);
  if (i < n) {
    int sum = in[i];
    for (int distance = 16; distance > 0; distance /= 2) {
      const int other = __shfl_down_sync(mask, sum, distance);
      if (i + distance < n) sum += other;
    }
    if (i == 0) *out = sum;
  }
}
// run: --kernel masked_sum --grid 1 --block 32 --arg buf:i32:20:iota --arg buf:i32:1 --arg i32:20

extern "C" __global__ void largest(const int* in, int* out, int n) {
  __shared__ int best;
  if (threadIdx.x == 0) best = in[0];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicMax(&best, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, best);
}
// run: --kernel largest --grid 3 --block 64 --arg buf:i32:1000:random --arg buf:i32:1:zero --arg i32:1000

// The largest element and its index, in one word.
extern "C" __global__ void arg_max(const float* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned order = __float_as_uint(in[i] + 2.0f);
  atomicMax(out, static_cast<unsigned long long>(order) << 32 | i);
}
// run: --kernel arg_max --grid 2 --block 64 --arg buf:f32:100:random --arg buf:u64:1:zero --arg i32:100

// The block that arrives last adds the partial sums of all blocks.
__device__ unsigned arrived = 0;
extern "C" __global__ void single_pass_sum(const float* in, float* partial, float* out, int n) {
  __shared__ float sums[128];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) sum += in[i];
  sums[t] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  if (t == 0) {
    float total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}
// run: --kernel single_pass_sum --grid 12 --block 128 --arg buf:f32:5000:random --arg buf:f32:12 --arg buf:f32:1 --arg i32:5000

extern "C" __global__ void tiles_of_groups(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  int sum = in[block.thread_rank()];
  for (int distance = tile.size() / 2; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}
// run: --kernel tiles_of_groups --grid 1 --block 128 --arg buf:i32:128:iota --arg buf:i32:1:zero
