// No thread loads the next tile before all threads have read this one.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  int sum = 0;
  for (int first = 0; first < n; first += 128) {
    tile[t] = in[first + t];
    __syncthreads();
    for (int k = 0; k < 128; ++k) sum += tile[k];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}
