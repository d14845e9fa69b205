// A kernel asserts its assumption.
// run: --kernel root --grid 1 --block 32 --arg buf:f32:32:iota --print x:16:1
// expect: [16] 4
#include <assert.h>
#include <math.h>
#include "common/check.h"
__global__ void root(float* x) {
  assert(x[threadIdx.x] >= 0);
  x[threadIdx.x] = sqrtf(x[threadIdx.x]);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  root<<<1, 32>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
