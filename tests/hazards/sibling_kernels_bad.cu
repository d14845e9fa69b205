// A kernel uses the result of another one, but each has its own stream, so the first does not wait for it.
__global__ void doubled(const int* in, int* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // other
}

__global__ void mirrored(int* out, int n) {
  out[n - 1 - threadIdx.x] = out[threadIdx.x];  // here
}

extern "C" __global__ void kernel(const int* in, int* out, int n) {
  if (threadIdx.x != 0) return;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  doubled<<<1, 64, 0, first>>>(in, out);
  mirrored<<<1, 64, 0, second>>>(out, n);
}
