// Three bytes per pixel become one.
// run: --kernel gray --grid 1,1 --block 8,8 --arg buf:u8:192:iota --arg buf:u8:64 --arg i32:8 --arg i32:8 --print out:10:1
// expect: [10] 30
#include "common/check.h"
__global__ void gray(const uchar3* image, unsigned char* out, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x >= width || y >= height) return;
  uchar3 p = image[y * width + x];
  out[y * width + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  gray<<<1, dim3(8, 8)>>>((uchar3*)x, (unsigned char*)x, 8, 8);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
