// Counts the elements other than zero in memory that the program has not used before.
#include <cstdio>

__global__ void fill(float* x) { x[threadIdx.x] = 1; }

int main() {
  const int n = 2048;
  double* fresh = new double[n];
  int count = 0;
  for (int i = 0; i < n; ++i) count += fresh[i] != 0;
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  fill<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  delete[] fresh;
  printf("%d\n", count);
  return 0;
}
