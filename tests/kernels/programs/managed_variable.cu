// A variable that host and device read and write.
// run: --kernel raise --grid 1 --block 32 --symbol level=i32:10 --arg buf:i32:1 --print out:0:1
// expect: [0] 42
#include "common/check.h"
__device__ __managed__ int level;
__global__ void raise(int* out) {
  atomicAdd(&level, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = level;
}

int main() {
  level = 10;
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  raise<<<1, 32>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
