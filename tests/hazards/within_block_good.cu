// There is a barrier between writing, reading and writing again.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int t = threadIdx.x, first = blockIdx.x * 128;
  out[first + t] = in[first + t];
  __syncthreads();
  const int opposite = out[first + 127 - t];
  __syncthreads();
  out[first + t] = opposite;
}
