// Lanes wait for each other between reading and writing, and before the next step.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32)
    for (int distance = 32; distance > 0; distance /= 2) {
      const int sum = sums[t] + sums[t + distance];
      __syncwarp();
      sums[t] = sum;
      __syncwarp();
    }
  if (t == 0) out[blockIdx.x] = sums[0];
}
