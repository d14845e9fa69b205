// One step of heat diffusion on a plate with a fixed edge.
// run: --kernel step --grid 1,1 --block 8,8 --arg buf:f32:64:iota --arg buf:f32:64 --arg i32:8 --arg f32:0.25 --print out:9:1
// expect: [9] 9
#include "common/check.h"
__global__ void step(const float* in, float* out, int n, float k) {
  int x = threadIdx.x, y = threadIdx.y, i = y * n + x;
  bool inside = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  out[i] = inside ? in[i] + k * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4 * in[i]) : in[i];
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  step<<<1, dim3(8, 8)>>>(x, x, 8, 0.25f);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
