// Shared memory whose size is set by the launch.
// run: --kernel reverse --grid 1 --block 64 --shared 256 --arg buf:i32:64:iota --arg i32:64 --print d:0:2
// expect: [0] 63 62
#include "common/check.h"
__global__ void reverse(int* d, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[n - t - 1];
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  reverse<<<1, 64, 64 * sizeof(int)>>>(x, 64);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
