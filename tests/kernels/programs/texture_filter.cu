// A texture interpolates between neighbours.
// run: --kernel sample --grid 1 --block 8 --arg tex:f32:8x8:iota:linear --arg buf:f32:8 --print out:0:2
// expect: [0] 4.5 5.5
#include "common/check.h"
__global__ void sample(cudaTextureObject_t image, float* out) {
  out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 1.0f, 1.0f);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  sample<<<1, 8>>>(0, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
