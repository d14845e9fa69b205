// Four numbers per thread in one access.
// run: --kernel lengths --grid 1 --block 16 --arg buf:f32:64:iota --arg buf:f32:16 --print out:1:1
// expect: [1] 126
#include "common/check.h"
__global__ void lengths(const float4* points, float* out) {
  float4 p = points[threadIdx.x];
  out[threadIdx.x] = p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  lengths<<<1, 16>>>((const float4*)x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
