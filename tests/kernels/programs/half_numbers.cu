// Two half-precision numbers per instruction.
// run: --kernel add --grid 1 --block 16 --arg buf:f16:32:iota --arg buf:f16:32:iota --print y:30:2
// expect: [30] 60 62
#include "common/check.h"
#include <cuda_fp16.h>
__global__ void add(const __half2* x, __half2* y) {
  y[threadIdx.x] = __hadd2(x[threadIdx.x], y[threadIdx.x]);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  add<<<1, 16>>>((__half2*)x, (__half2*)x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
