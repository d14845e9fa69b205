// A grid of any size covers all elements with a stride.
// run: --kernel scale --grid 3 --block 64 --arg buf:f32:1000:iota --arg f32:3 --arg u64:1000 --print x:999:1
// expect: [999] 2997
#include "common/check.h"
__global__ void scale(float* x, float by, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= by;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  scale<<<3, 64>>>(x, 3.0f, host.size());
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
