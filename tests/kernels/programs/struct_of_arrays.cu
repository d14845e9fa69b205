// A structure that holds pointers and a size.
// run: --kernel move --grid 1 --block 32 --arg {buf:f32:32:iota,buf:f32:32:iota,u64:20} --arg f32:2 --print particles.1:18:3
// expect: [18] 54 57 20
#include "common/check.h"
struct Particles {
  float *x, *v;
  size_t count;
};
__global__ void move(Particles particles, float dt) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles.count) particles.x[i] += dt * particles.v[i];
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  move<<<1, 32>>>(Particles{x, x, 20}, 2.0f);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
