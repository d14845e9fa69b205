// A cluster of blocks that add to each other's shared memory.
#include "check.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) ring(int* out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  int* next = cluster.map_shared_rank(&sum, (rank + 1) % cluster.num_blocks());
  atomicAdd(next, (int)(rank * 1000 + threadIdx.x));
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  int h[8], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  ring<<<8, 32>>>(d);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int value : h) std::printf("%d ", value);
  std::printf("\n");
  CHECK(cudaFree(d));
}
