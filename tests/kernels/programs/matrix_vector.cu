// One warp per row, with coalesced loads.
// run: --kernel multiply --grid 2 --block 64 --arg buf:f32:256:iota --arg buf:f32:64:iota --arg buf:f32:4 --arg i32:64 --print y:0:2
// expect: [0] 85344 214368
#include "common/check.h"
__global__ void multiply(const float* a, const float* x, float* y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int col = lane; col < n; col += 32) sum += a[row * n + col] * x[col];
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(~0u, sum, mask);
  if (lane == 0) y[row] = sum;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  multiply<<<2, 64>>>(x, x, x, 64);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
