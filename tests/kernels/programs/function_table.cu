// Functions selected from a table of pointers.
// run: --kernel choose --grid 1 --block 6 --arg buf:i32:6:iota --print x:3:3
// expect: [3] 6 8 25
#include "common/check.h"
typedef int (*Operation)(int);
__device__ int same(int x) { return 2 * x; }
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ Operation operations[3] = {same, twice, square};
__global__ void choose(int* x) { x[threadIdx.x] = operations[threadIdx.x % 3](x[threadIdx.x]); }

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  choose<<<1, 6>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
