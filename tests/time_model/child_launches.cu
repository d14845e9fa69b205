// Times of kernels that launch kernels, between two events, in microseconds: medians of 20 runs. Build with
// nvcc -arch=sm_90 -rdc=true. The times on an H200 are expected/h200/child_launches.txt.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void nothing() {}

__global__ void child(float* p, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int k = 0; k < steps; k++) x = x * 1.0001f + 0.5f;
  p[i] = x;
}
__global__ void parent(float* p, int steps, int count, int grid) {
  if (threadIdx.x == 0)
    for (int i = 0; i < count; i++) child<<<grid, 256>>>(p, steps);
}
__global__ void parent_per_thread(float* p, int steps, int grid) { child<<<grid, 256>>>(p, steps); }
__global__ void fire(float* p, int steps, int count, int grid) {
  if (threadIdx.x == 0)
    for (int i = 0; i < count; i++) child<<<grid, 256, 0, cudaStreamFireAndForget>>>(p, steps);
}

template <class Launch>
double median_us(Launch launch) {
  constexpr int kWarmUp = 5, kRuns = 20;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times(kRuns);
  for (int i = -kWarmUp; i < kRuns; i++) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    if (i >= 0) times[i] = ms;
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return times[kRuns / 2] * 1e3;
}

int main() {
  float* p;
  cudaMalloc(&p, 1000 * 256 * sizeof(float));
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 8192);
  std::printf("nothing %.1f us\n", median_us([] { nothing<<<1, 1>>>(); }));
  for (int grid : {1, 1000})
    for (int n : {1, 2000}) {
      std::printf("child grid %d n %d: from host %.1f us\n", grid, n,
                  median_us([&] { child<<<grid, 256>>>(p, n); }));
      for (int count : {0, 1, 2, 4, 16, 64})
        std::printf("  parent 1 block, %d children: %.1f us\n", count,
                    median_us([&] { parent<<<1, 32>>>(p, n, count, grid); }));
      for (int count : {1, 4, 16})
        std::printf("  fire-and-forget %d children: %.1f us\n", count,
                    median_us([&] { fire<<<1, 32>>>(p, n, count, grid); }));
      for (int blocks : {2, 16, 128, 1024})
        std::printf("  parent %d blocks, 1 child each: %.1f us\n", blocks,
                    median_us([&] { parent<<<blocks, 32>>>(p, n, 1, grid); }));
      for (int threads : {32, 256})
        std::printf("  each of %d threads a child: %.1f us\n", threads,
                    median_us([&] { parent_per_thread<<<1, threads>>>(p, n, grid); }));
    }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(p);
}
