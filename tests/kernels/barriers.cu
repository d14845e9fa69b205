// Barriers that also count or combine, for the block, the warp and a part of the block.
extern "C" __global__ void barrier_votes(const int* in, int* out) {
  const int positive = in[threadIdx.x] > 0;
  const int count = __syncthreads_count(positive);
  const int all = __syncthreads_and(positive), any = __syncthreads_or(positive);
  out[threadIdx.x] = count * 4 + (all != 0) * 2 + (any != 0);
}

// Each warp exchanges through shared memory without stopping the others.
extern "C" __global__ void warp_barrier(const int* in, int* out) {
  __shared__ int words[256];
  words[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = words[threadIdx.x ^ 1];
}

// The first 64 threads meet at barrier 1, the others do not wait.
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
