// All threads reach the same barrier.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  const int value = t % 2 == 0 ? 1 : 2;
  out[blockIdx.x * 64 + t] = tile[63 - t] + value;
}
