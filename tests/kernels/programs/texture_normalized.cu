// Bytes read as numbers between 0 and 1, with normalized coordinates.
// run: --kernel sample --grid 1 --block 4 --arg tex:u8x4:4x4:iota:normalized:as-float:wrap --arg buf:f32:4 --print out:1:1
// expect: [1] 0.015686275
#include "common/check.h"
__global__ void sample(cudaTextureObject_t image, float* out) {
  const float4 texel = tex2D<float4>(image, (threadIdx.x + 0.5f) / 4 + 1, 0.125f);
  out[threadIdx.x] = texel.x;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  sample<<<1, 4>>>(0, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
