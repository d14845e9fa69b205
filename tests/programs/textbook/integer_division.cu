// A width that is 0, because it is the quotient of two integers.
#include <cstdio>

__global__ void add_strips(double* sum, double width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, width);
}

int main() {
  const int n = 100;
  const double width = 1 / n;
  double *device_sum, sum = 0;
  cudaMalloc(&device_sum, sizeof(double));
  cudaMemcpy(device_sum, &sum, sizeof(double), cudaMemcpyHostToDevice);
  add_strips<<<1, 128>>>(device_sum, width, n);
  cudaMemcpy(&sum, device_sum, sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("%.1f\n", sum);
  cudaFree(device_sum);
  return 0;
}
