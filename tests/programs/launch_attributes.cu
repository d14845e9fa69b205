// cudaLaunchKernelEx with clusters.
#include "check.h"

#include <cooperative_groups.h>

__global__ void rank(int* out) {
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) out[blockIdx.x] = cluster.block_rank();
}

int main() {
  int h[8], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8), config.blockDim = dim3(32), config.attrs = &attribute, config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, rank, d));
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int value : h) std::printf("%d", value);
  std::printf("\n");
  CHECK(cudaFree(d));
}
