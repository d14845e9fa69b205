// One bulk copy fills a tile in shared memory, and no thread waits for the barrier that counts its bytes.
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ alignas(16) int tile[64];
  __shared__ Barrier arrived;
  if (threadIdx.x == 0) init(&arrived, blockDim.x);
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, in + blockIdx.x * 64, cuda::aligned_size_t<16>(sizeof tile), arrived);  // other
    token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof tile);
  } else {
    token = arrived.arrive();
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tile[63 - threadIdx.x];  // here
}
