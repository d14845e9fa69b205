// A __device__ counter that all blocks share.
// run: --kernel count --grid 4 --block 64 --arg buf:i32:256:iota --arg i32:3 --symbol found=buf:i32:1:zero --print found:0:1
// expect: [0] 86
#include "common/check.h"
__device__ int found;
__global__ void count(const int* x, int by) {
  if (x[blockIdx.x * blockDim.x + threadIdx.x] % by == 0) atomicAdd(&found, 1);
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  count<<<4, 64>>>(x, 3);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
