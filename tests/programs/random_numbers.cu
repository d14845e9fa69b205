// Kernels generate random numbers, one sequence per thread.
#include "check.h"

#include <curand_kernel.h>

__global__ void draw(unsigned* out, int* inside) {
  curandStatePhilox4_32_10_t state;
  curand_init(1234, threadIdx.x, 0, &state);
  int hits = 0;
  for (int i = 0; i < 200; i++) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    hits += x * x + y * y <= 1;
  }
  atomicAdd(inside, hits);
  curandStateXORWOW_t other;
  curand_init(42, threadIdx.x, 7, &other);
  out[threadIdx.x] = curand(&other);
}

int main() {
  unsigned h[64], *d;
  int *inside, hits;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMalloc(&inside, sizeof(int)));
  CHECK(cudaMemset(inside, 0, sizeof(int)));
  draw<<<1, 64>>>(d, inside);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&hits, inside, sizeof hits, cudaMemcpyDeviceToHost));
  std::printf("%u %u, pi is about %.3f\n", h[0], h[63], 4.0 * hits / (64 * 200));
  CHECK(cudaFree(d));
  CHECK(cudaFree(inside));
}
