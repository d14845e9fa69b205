// A kernel and its helpers within namespaces.
// run: --kernel physics::step --grid 1 --block 32 --arg buf:f32:32:iota --arg f32:2 --print x:3:1
// expect: [3] 12.62
#include "common/check.h"
namespace physics {
namespace detail {
__device__ float gravity() { return 9.62f; }
}  // namespace detail
__global__ void step(float* x, float dt) { x[threadIdx.x] += detail::gravity() * (dt - 1); }
void run(float* x) { step<<<1, 32>>>(x, 2.0f); }
}  // namespace physics

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  physics::run(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
