// y = a x + y, one thread per element.
// run: --kernel saxpy --grid 4 --block 256 --arg f32:2 --arg buf:f32:1000:iota --arg buf:f32:1000:iota --arg i32:1000 --print y:999:1
// expect: [999] 2997
#include "common/check.h"
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  saxpy<<<4, 256>>>(2.0f, x, x, 1024);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
