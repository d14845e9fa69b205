// A device function that calls itself.
// run: --kernel numbers --grid 1 --block 12 --arg buf:i32:12 --print out:10:1
// expect: [10] 55
#include "common/check.h"
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void numbers(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x); }

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  numbers<<<1, 12>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
