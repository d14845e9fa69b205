// Persistent threads: a few blocks take tasks of unequal length from a counter until none is left.
#include "check.h"

__global__ void work(int* next, int tasks, int* steps) {
  __shared__ int task;
  while (true) {
    if (threadIdx.x == 0) task = atomicAdd(next, 1);
    __syncthreads();
    const int mine = task;
    __syncthreads();
    if (mine >= tasks) return;
    int x = mine + 1, count = 0;  // the 3n + 1 problem
    for (; x != 1; count++) x = x % 2 ? 3 * x + 1 : x / 2;
    if (threadIdx.x == 0) steps[mine] = count;
  }
}

int main() {
  const int tasks = 100;
  int *next, *steps, h[tasks], longest = 0, total = 0;
  CHECK(cudaMalloc(&next, sizeof *next));
  CHECK(cudaMalloc(&steps, sizeof h));
  CHECK(cudaMemset(next, 0, sizeof *next));
  work<<<4, 64>>>(next, tasks, steps);
  CHECK(cudaMemcpy(h, steps, sizeof h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < tasks; i++) {
    total += h[i];
    if (h[i] > h[longest]) longest = i;
  }
  std::printf("%d steps, %d of them from %d\n", total, h[longest], longest + 1);
  CHECK(cudaFree(next));
  CHECK(cudaFree(steps));
}
