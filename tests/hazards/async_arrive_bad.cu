// Copies that arrive at a barrier when complete; each thread uses its copy before it has waited there.
#include <cuda/barrier>
#include <cuda_pipeline.h>

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[64];
  __shared__ Barrier arrived;
  if (threadIdx.x == 0) init(&arrived, blockDim.x);
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(int));  // other
  __pipeline_arrive_on(reinterpret_cast<__mbarrier_t*>(cuda::device::barrier_native_handle(arrived)));
  if (i < n) out[i] = tile[threadIdx.x];  // here
  arrived.arrive_and_wait();
}
