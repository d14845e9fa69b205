// Neighbours swap in alternating odd and even steps.
// run: --kernel sort --grid 1 --block 16 --arg buf:i32:32:iota --arg i32:32 --print x:0:3
// expect: [0] -31 -30 -29
#include "common/check.h"
__global__ void sort(int* x, int n) {
  x[2 * threadIdx.x] *= -1;
  x[2 * threadIdx.x + 1] *= -1;
  __syncthreads();
  for (int step = 0; step < n; ++step) {
    const int i = 2 * threadIdx.x + step % 2;
    if (i + 1 < n && x[i] > x[i + 1]) {
      const int old = x[i];
      x[i] = x[i + 1];
      x[i + 1] = old;
    }
    __syncthreads();
  }
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  sort<<<1, 16>>>(x, 32);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
