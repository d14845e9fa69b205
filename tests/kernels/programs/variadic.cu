// A device function with any number of arguments.
// run: --kernel sums --grid 1 --block 8 --arg buf:f32:8 --print out:1:1
// expect: [1] 10.5
#include "common/check.h"
template <class... Numbers>
__device__ float sum_of(Numbers... numbers) {
  return (float(numbers) + ... + 0.0f);
}
__global__ void sums(float* out) { out[threadIdx.x] = sum_of(1, 2.5f, 3.0, int(threadIdx.x) * 4); }

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  sums<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
