// A functor passed to a kernel by value, with an operation extended by a parameter.
#include "check.h"

struct Twice {
  int plus;
  __host__ __device__ int operator()(int x) const { return 2 * x + plus; }
};

template <class F>
__global__ void map(int* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }

int main() {
  int h[5] = {1, 2, 3, 4, 5}, *d;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  map<<<1, 5>>>(d, Twice{100});
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", h[0], h[4], Twice{1}(3));
  CHECK(cudaFree(d));
}
