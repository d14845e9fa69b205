// Each block writes a partial sum for the host.
// run: --kernel dot --grid 2 --block 128 --arg buf:f32:256:iota --arg buf:f32:256:iota --arg buf:f32:2 --print c:0:2
// expect: [0] 690880 4868800
#include "common/check.h"
#define imin(a, b) (a < b ? a : b)
const int N = 256;
const int threadsPerBlock = 128;
const int blocksPerGrid = imin(32, (N + threadsPerBlock - 1) / threadsPerBlock);
__global__ void dot(float* a, float* b, float* c) {
  __shared__ float cache[threadsPerBlock];
  int tid = threadIdx.x + blockIdx.x * blockDim.x, cacheIndex = threadIdx.x;
  float temp = 0;
  while (tid < N) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  dot<<<blocksPerGrid, threadsPerBlock>>>(x, x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
