// Sums over tiles: a fast warp overwrites the tile while a slow one still reads it.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  int sum = 0;
  for (int first = 0; first < n; first += 128) {
    tile[t] = in[first + t];  // here
    __syncthreads();
    for (int k = 0; k < 128; ++k)
      sum += tile[k];  // other
  }
  out[blockIdx.x * 128 + t] = sum;
}
