// Two blocks of a cluster exchange their tiles, but each waits only for its own threads.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) kernel(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  const int* neighbour = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  const int value = neighbour[threadIdx.x];  // here
  cluster.sync();
  if (i < n) out[i] = value;
}
