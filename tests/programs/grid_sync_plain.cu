// A grid-wide barrier without a cooperative launch ends the kernel with an error.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void wait_for_grid(int* x) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  x[grid.thread_rank()] = 1;
  grid.sync();
}

__global__ void ask(bool* is_valid) { *is_valid = cooperative_groups::this_grid().is_valid(); }

int main() {
  bool *is_valid, answer = true;
  cudaMalloc(&is_valid, sizeof(bool));
  ask<<<1, 1>>>(is_valid);
  cudaMemcpy(&answer, is_valid, sizeof answer, cudaMemcpyDeviceToHost);
  std::printf("is_valid: %d\n", answer);
  int* x;
  cudaMalloc(&x, 256 * sizeof(int));
  wait_for_grid<<<4, 64>>>(x);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
