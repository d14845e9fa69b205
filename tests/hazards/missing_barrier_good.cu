// All threads have written before any thread reads.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  tile[t] = in[first + t];
  __syncthreads();
  out[first + t] = tile[255 - t];
}
