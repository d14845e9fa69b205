// Uses the names of a course's common.h, which is not in this folder.
#include "../common/common.h"

__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

int main() {
  const int n = 1000;
  float* x;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  Timer on_host;
  GpuTimer on_gpu;
  on_gpu.start();
  fill<<<(n + 127) / 128, 128>>>(x, n);
  on_gpu.stop();
  CHECK(cudaGetLastError());
  const bool has_gpu_time = on_gpu.elapsed() > 0;  // waits
  StopWatchInterface* watch;
  sdkCreateTimer(&watch);
  sdkStartTimer(&watch);
  sdkStopTimer(&watch);
  const bool has_mean = sdkGetAverageTimerValue(&watch) == sdkGetTimerValue(&watch);
  sdkDeleteTimer(&watch);
  printf("%d %d\n", has_gpu_time && has_mean, on_host.elapsed() > 0);
  CHECK(cudaFree(x));
  return 0;
}
