// A kernel and the one that uses its result share a stream; another stream has its own elements.
__global__ void doubled(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

__global__ void mirrored(int* out, int n) { out[n - 1 - threadIdx.x] = out[threadIdx.x]; }

extern "C" __global__ void kernel(const int* in, int* out, int n) {
  if (threadIdx.x != 0) return;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  doubled<<<1, 64, 0, first>>>(in, out);
  mirrored<<<1, 64, 0, first>>>(out, n);
  doubled<<<1, 64, 0, second>>>(in + 64, out + 64);
}
