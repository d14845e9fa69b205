// Asynchronous copies, each waited for before its data is used.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#pragma nv_diag_suppress static_var_with_dynamic_init  // the state is made by make_pipeline()

// The last round commits an empty group, so waiting for "all but one" group stays correct.
extern "C" __global__ void double_buffer(const float* in, float* out, int tiles) {
  __shared__ float tile[2][64];
  const int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &in[(i + 1) * 64 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[i % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
// run: --kernel double_buffer --grid 1 --block 64 --arg buf:f32:512:random --arg buf:f32:64 --arg i32:8

extern "C" __global__ void copied_by_the_block(const float* in, float* out) {
  __shared__ float tile[128];
  const auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in, sizeof(float) * 128);
  cooperative_groups::wait(block);
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
// run: --kernel copied_by_the_block --grid 1 --block 128 --arg buf:f32:128:random --arg buf:f32:128

// One warp copies, the other one adds.
extern "C" __global__ void two_roles(const float* in, float* out, int tiles) {
  __shared__ float tile[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const bool produces = threadIdx.x < 32;
  const int lane = threadIdx.x % 32;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[i % 2][lane], in + i * 32 + lane, sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[i % 2][31 - lane];
      pipe.consumer_release();
    }
  }
  if (!produces) out[lane] = sum;
}
// run: --kernel two_roles --grid 1 --block 64 --arg buf:f32:256:random --arg buf:f32:32 --arg i32:8
