// A structure in constant memory.
// run: --kernel trace --grid 1 --block 4 --arg buf:f32:4 --symbol camera=f32:1,2,3,10 --print out:3:1
// expect: [3] 36
#include "common/check.h"
struct Camera {
  float3 eye;
  float zoom;
};
__constant__ Camera camera;
__global__ void trace(float* out) {
  out[threadIdx.x] = camera.eye.x + camera.eye.y + camera.eye.z + camera.zoom * threadIdx.x;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  trace<<<1, 4>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
