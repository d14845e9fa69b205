#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(e_)); return 1; } } while (0)
__device__ float blend(float a, float b, float t) { return a + (b - a) * t; }
__global__ void axpby(const float* x, const float* y, float* z, float t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = blend(x[i], y[i], t);
}
int main() {
  const int n = 1000;
  size_t bytes = n * sizeof(float);
  std::vector<float> hx(n, 1.0f), hy(n, 3.0f), hz(n);
  float *dx, *dy, *dz;
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaMalloc(&dx, bytes));
  CHECK(cudaMalloc(&dy, bytes));
  CHECK(cudaMalloc(&dz, bytes));
  CHECK(cudaMemcpyAsync(dx, hx.data(), bytes, cudaMemcpyHostToDevice, s));
  CHECK(cudaMemcpyAsync(dy, hy.data(), bytes, cudaMemcpyHostToDevice, s));
  int threads = 128;
  axpby<<<(n + threads - 1) / threads, threads, 0, s>>>(dx, dy, dz, 0.5f, n);
  CHECK(cudaMemcpyAsync(hz.data(), dz, bytes, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; ++i) if (hz[i] != 2.0f) { printf("wrong %d\n", i); return 1; }
  printf("ok\n");
}
