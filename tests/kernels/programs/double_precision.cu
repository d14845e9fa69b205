// A polynomial in double precision.
// run: --kernel horner --grid 1 --block 8 --arg buf:f64:8:iota --arg buf:f64:8 --print y:2:1
// expect: [2] 17
#include "common/check.h"
__constant__ double coefficients[3] = {1, 2, 3};
__global__ void horner(const double* x, double* y) {
  double sum = 0;
  for (int i = 2; i >= 0; --i) sum = fma(sum, x[threadIdx.x], coefficients[i]);
  y[threadIdx.x] = sum;
}

int main() {
  std::vector<double> host(64, double(1));
  double* x = to_device(host);
  Timer timer;
  horner<<<1, 8>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
