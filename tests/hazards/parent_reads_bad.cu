// A kernel launches another kernel and uses its result immediately, as if the launch waited for it.
__global__ void doubled(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];  // here
}

extern "C" __global__ void kernel(const int* in, int* out, int n) {
  if (threadIdx.x != 0) return;
  doubled<<<1, 64>>>(in, out, 64);
  out[n - 1] = out[0];  // other
}
