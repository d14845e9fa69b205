// The launch as a web page shows it: the text between < and > is missing.
#include <cstdio>

__global__ void scale(float* x, float factor) { x[threadIdx.x] *= factor; }

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  scale<<>>(x, 2.0f);
  cudaFree(x);
}
