// A block sorts in shared memory with a sorting network.
// run: --kernel sort --grid 1 --block 64 --arg buf:i32:64:iota --print x:0:4
// expect: [0] -63 -62 -61 -60
#include "common/check.h"
#define N 64
__global__ void sort(int* x) {
  __shared__ int s[N];
  const unsigned t = threadIdx.x;
  s[t] = -x[t];
  __syncthreads();
  for (unsigned size = 2; size <= N; size <<= 1)
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      const unsigned other = t ^ stride;
      if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
        const int old = s[t];
        s[t] = s[other];
        s[other] = old;
      }
      __syncthreads();
    }
  x[t] = s[t];
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  sort<<<1, N>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
