// Asynchronous copies from global to shared memory without registers, one stage ahead of the sum. (Before
// compute capability 8.0, the same source copies synchronously.)
#include <cuda_pipeline.h>
constexpr int kThreads = 64;

extern "C" __global__ void column_sums(const float4* in, float4* out, int rows) {
  __shared__ float4 stage[2][kThreads];
  const float4* column = in + threadIdx.x;
  __pipeline_memcpy_async(&stage[0][threadIdx.x], column, sizeof(float4));
  __pipeline_commit();
  float4 sum = make_float4(0, 0, 0, 0);
  for (int row = 0; row < rows; ++row) {
    if (row + 1 < rows)
      __pipeline_memcpy_async(&stage[(row + 1) % 2][threadIdx.x], column + (row + 1) * kThreads,
                              sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    const float4 value = stage[row % 2][threadIdx.x];
    sum.x += value.x;
    sum.y += value.y;
    sum.z += value.z;
    sum.w += value.w;
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void copy_words(const int* in, int* out) {
  __shared__ int words[kThreads];
  __pipeline_memcpy_async(&words[threadIdx.x], in + threadIdx.x, sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = words[kThreads - 1 - threadIdx.x];
}

// run: --kernel column_sums --grid 1 --block 64 --arg buf:f32:1280:random --arg buf:f32:256 --arg i32:5
// run: --kernel copy_words --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64
