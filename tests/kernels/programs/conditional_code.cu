// Code that differs between host and device compilation.
// run: --kernel which --grid 1 --block 8 --arg buf:i32:8 --print out:0:1
// expect: [0] 1
#include "common/check.h"
HD int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}
#if defined(USE_DOUBLE)
typedef double real;
#else
typedef float real;
#endif
__global__ void which(int* out) { out[threadIdx.x] = side() + int(real(0.5)); }

int main() {
  std::printf("host: %d\n", side());
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  which<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
