// Barriers that also count or combine: for the block, the warp, and a part of the block.
extern "C" __global__ void barrier_votes(const int* in, int* out) {
  const int positive = in[threadIdx.x] > 0;
  const int count = __syncthreads_count(positive);
  const int all = __syncthreads_and(positive), any = __syncthreads_or(positive);
  out[threadIdx.x] = count * 4 + (all != 0) * 2 + (any != 0);
}

// Each warp exchanges values through shared memory without stopping the other warps.
extern "C" __global__ void warp_barrier(const int* in, int* out) {
  __shared__ int words[256];
  words[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = words[threadIdx.x ^ 1];
}

// The first 64 threads wait at barrier 1; the other threads do not wait.
extern "C" __global__ void named_barrier(const int* in, int* out) {
  __shared__ int words[64];
  if (threadIdx.x >= 64) return;
  words[threadIdx.x] = in[threadIdx.x];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = words[63 - threadIdx.x];
}

extern "C" __global__ void fences(volatile int* flag, int* data) {
  data[threadIdx.x] = threadIdx.x;
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  if (threadIdx.x == 0) *flag = 1;
}

// run: --kernel barrier_votes --grid 2 --block 96 --arg buf:i32:96:random --arg buf:i32:96
// run: --kernel warp_barrier --grid 1 --block 256 --arg buf:i32:256:iota --arg buf:i32:256
// run: --kernel named_barrier --grid 1 --block 128 --arg buf:i32:64:iota --arg buf:i32:64
// run: --kernel fences --grid 1 --block 64 --arg buf:i32:1:zero --arg buf:i32:64
