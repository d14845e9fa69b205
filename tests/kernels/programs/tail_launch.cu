// A tail launch runs after the children.
// run: --kernel sum --grid 1 --block 4 --arg buf:i32:128:iota --arg buf:i32:4:zero --print partial:0:1
// expect: [0] 8128
#include "common/check.h"
__global__ void part(const int* x, int* partial) { atomicAdd(partial, x[threadIdx.x]); }
__global__ void gather(int* partial) { partial[0] += partial[1] + partial[2] + partial[3]; }
__global__ void sum(const int* x, int* partial) {
  if (threadIdx.x == 0) gather<<<1, 1, 0, cudaStreamTailLaunch>>>(partial);
  part<<<1, 32>>>(x + 32 * threadIdx.x, partial + threadIdx.x);
}

int main() {
  std::vector<int> host(128, int(1));
  int* x = to_device(host);
  Timer timer;
  sum<<<1, 4>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
