// A grid-wide barrier of a cooperative launch.
#include "check.h"

#include <cooperative_groups.h>

__global__ void two_steps(int* x, int* total) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  x[grid.thread_rank()] = grid.thread_rank();
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned i = 0; i < grid.size(); i++) *total += x[i];
}

int main() {
  int *x, *total, h = 0;
  CHECK(cudaMalloc(&x, 256 * sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMemset(total, 0, sizeof(int)));
  void* arguments[] = {&x, &total};
  CHECK(cudaLaunchCooperativeKernel((void*)two_steps, dim3(4), dim3(64), arguments, 0, 0));
  CHECK(cudaMemcpy(&h, total, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d\n", h);
  CHECK(cudaFree(x));
  CHECK(cudaFree(total));
}
