// Each block counts in shared memory, then adds its counts.
// run: --kernel histogram --grid 4 --block 256 --arg buf:u8:4096:iota --arg i64:4096 --arg buf:u32:256:zero --print bins:255:1
// expect: [255] 16
#include "common/check.h"
__global__ void histogram(const unsigned char* data, long n, unsigned int* bins) {
  __shared__ unsigned int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&own[data[i]], 1);
    i += stride;
  }
  __syncthreads();
  atomicAdd(&(bins[threadIdx.x]), own[threadIdx.x]);
}

int main() {
  std::vector<unsigned int> host(1024, unsigned(1));
  unsigned int* x = to_device(host);
  Timer timer;
  histogram<<<4, 256>>>((unsigned char*)x, 4096, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
