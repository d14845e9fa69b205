// Half of each warp waits at a barrier that the other half does not reach.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t];
  int value = 0;
  if (t % 2 == 0) {
    __syncthreads();  // here
    value = 1;
  } else {
    __syncthreads();  // other
    value = 2;
  }
  out[blockIdx.x * 64 + t] = tile[63 - t] + value;
}
