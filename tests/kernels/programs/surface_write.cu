// A kernel writes an image through a surface object.
// run: --kernel paint --grid 1,1 --block 8,4 --arg surf:i32:8x4 --print 1:9:2
// expect: [ 9] 101 102
#include "common/check.h"
__global__ void paint(cudaSurfaceObject_t image) {
  surf2Dwrite<int>(threadIdx.y * 100 + threadIdx.x, image, threadIdx.x * sizeof(int), threadIdx.y);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  paint<<<1, dim3(8, 4)>>>(0);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
