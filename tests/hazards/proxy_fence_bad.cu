// One bulk copy writes a tile to global memory. It does not see ordinary stores without a fence between the
// proxies.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ alignas(16) int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) tile[63 - threadIdx.x] = in[i];  // other
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 64, tile, sizeof tile);  // here
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
