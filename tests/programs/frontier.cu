// Breadth-first search: one launch per level, whose threads append the nodes they reach to the next queue.
#include "check.h"

#include <utility>

constexpr int kSide = 48, kCells = kSide * kSide;

__device__ bool is_wall(int cell) { return (cell % kSide) % 6 == 3 && (cell / kSide) % 11 != 5; }

__global__ void expand(const int* queue, int count, int* next, int* next_count, int* distance, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int cell = queue[i], x = cell % kSide, y = cell / kSide;
  const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
  for (int k = 0; k < 4; k++) {
    const int to_x = x + dx[k], to_y = y + dy[k], to = to_y * kSide + to_x;
    if (to_x < 0 || to_x >= kSide || to_y < 0 || to_y >= kSide || is_wall(to)) continue;
    if (atomicCAS(&distance[to], -1, level) == -1) next[atomicAdd(next_count, 1)] = to;
  }
}

int main() {
  int *queue, *next, *next_count, *distance, count = 1, level = 0, reached = 1, h[kCells];
  CHECK(cudaMalloc(&queue, sizeof h));
  CHECK(cudaMalloc(&next, sizeof h));
  CHECK(cudaMalloc(&next_count, sizeof(int)));
  CHECK(cudaMalloc(&distance, sizeof h));
  CHECK(cudaMemset(distance, -1, sizeof h));
  CHECK(cudaMemset(distance, 0, sizeof(int)));
  CHECK(cudaMemset(queue, 0, sizeof(int)));
  while (count > 0) {
    CHECK(cudaMemset(next_count, 0, sizeof(int)));
    expand<<<(count + 63) / 64, 64>>>(queue, count, next, next_count, distance, ++level);
    CHECK(cudaMemcpy(&count, next_count, sizeof count, cudaMemcpyDeviceToHost));
    std::swap(queue, next);
    reached += count;
  }
  CHECK(cudaMemcpy(h, distance, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d reached in %d levels, the last corner in %d\n", reached, level, h[kCells - 1]);
  CHECK(cudaFree(queue));
  CHECK(cudaFree(next));
  CHECK(cudaFree(next_count));
  CHECK(cudaFree(distance));
}
