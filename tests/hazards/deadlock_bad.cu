// Half of a warp waits for all its lanes; the others wait for a barrier of 64 threads that only they reach.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int t = threadIdx.x;
  if (t % 32 < 16)
    __syncwarp();
  else
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  out[blockIdx.x * 64 + t] = in[t];
}
