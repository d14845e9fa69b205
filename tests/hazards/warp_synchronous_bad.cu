// The end of a reduction as written before Volta: it assumes that the lanes of a warp run in lockstep.
__device__ void add(volatile int* sums, int t, int distance) {
  sums[t] = sums[t] + sums[t + distance];  // here // other
}
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32)
    for (int distance = 32; distance > 0; distance /= 2) add(sums, t, distance);
  if (t == 0) out[blockIdx.x] = sums[0];
}
