// The bits of a number, read through a union.
// run: --kernel exponents --grid 1 --block 9 --arg buf:f32:9:iota --arg buf:i32:9 --print out:8:1
// expect: [8] 3
#include "common/check.h"
union Bits {
  float number;
  unsigned bits;
};
__global__ void exponents(const float* x, int* out) {
  Bits b;
  b.number = x[threadIdx.x];
  out[threadIdx.x] = int((b.bits >> 23) & 0xff) - 127;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  exponents<<<1, 9>>>(x, (int*)x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
