// The threads of a block exchange elements through global memory without a barrier.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int t = threadIdx.x, first = blockIdx.x * 128;
  out[first + t] = in[first + t];  // other
  const int opposite = out[first + 127 - t];  // here
  __syncthreads();
  out[first + t] = opposite;
}
