// The first program of most courses: everything from the kernel to the check in one file.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define N 1000
#define CHECK(call)                                                         \
  do {                                                                      \
    cudaError_t error = (call);                                             \
    if (error != cudaSuccess) {                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(EXIT_FAILURE);                                                   \
    }                                                                       \
  } while (0)

__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

float *h_x, *h_y;  // on the host

void fill(float *values, int n);

int main(int argc, char **argv) {
  float *d_x, *d_y;
  h_x = (float *)malloc(N * sizeof(float)), h_y = (float *)malloc(N * sizeof(float));
  fill(h_x, N), fill(h_y, N);
  CHECK(cudaMalloc((void **)&d_x, N * sizeof(float)));
  CHECK(cudaMalloc((void **)&d_y, N * sizeof(float)));
  CHECK(cudaMemcpy(d_x, h_x, N * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, h_y, N * sizeof(float), cudaMemcpyHostToDevice));
  saxpy<<<(N + 255) / 256, 256>>>(2.0f, d_x, d_y, N);
  CHECK(cudaDeviceSynchronize());
  float largest = 0;
  CHECK(cudaMemcpy(h_y, d_y, N * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; ++i) largest = fmaxf(largest, fabsf(h_y[i]));
  printf("largest: %f }\n", largest);
  return 0;
}

void fill(float *values, int n) {
  for (int i = 0; i < n; ++i) values[i] = rand() / (float)RAND_MAX;
}
