#include <cstdio>
#include <cmath>
#include <curand_kernel.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename T, int N>
__device__ T sumOf(const T* values) {
  T total = 0;
  for (int i = 0; i < N; ++i) total += values[i];
  return total;
}
__global__ void start(curandState* states, unsigned long long seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) curand_init(seed, i, 0, &states[i]);
}
__global__ void walk(curandState* states, float4* where, int n) {
  cg::thread_block block = cg::this_thread_block();
  int i = block.group_index().x * block.size() + block.thread_rank();
  if (i >= n) return;
  curandState mine = states[i];
  float steps[4];
  for (int k = 0; k < 4; ++k) steps[k] = curand_uniform(&mine) - 0.5f;
  float4 p = where[i];
  p.x += sumOf<float, 4>(steps);
  p.y += curand_normal(&mine);
  where[i] = p;
  states[i] = mine;
}
int main() {
  const int n = 256;
  curandState* states;
  float4 *where, host[n];
  cudaMalloc(&states, n * sizeof(curandState));
  cudaMalloc(&where, n * sizeof(float4));
  cudaMemset(where, 0, n * sizeof(float4));
  start<<<2, 128>>>(states, 7ULL, n);
  walk<<<2, 128>>>(states, where, n);
  cudaMemcpy(host, where, n * sizeof(float4), cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  double far = 0;
  for (int i = 0; i < n; ++i) far = fmax(far, fabs(host[i].x));
  printf("%g\n", far);
  cudaFree(states); cudaFree(where);
  return far > 0 && far <= 2 ? 0 : 1;
}
