// A maximum of floats by compare-and-swap.
// run: --kernel maximum --grid 4 --block 64 --arg buf:f32:256:iota --arg buf:f32:1:zero --print most:0:1
// expect: [0] 255
#include "common/check.h"
__device__ float atomicMaxFloat(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void maximum(const float* x, float* most) {
  atomicMaxFloat(most, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  maximum<<<4, 64>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
