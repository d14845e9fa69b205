// The mask is in constant memory.
// run: --kernel convolve --grid 1 --block 64 --arg buf:f32:64:iota --arg buf:f32:64 --arg i32:64 --symbol mask=f32:1,2,1 --print out:5:1
// expect: [5] 20
#include "common/check.h"
#define WIDTH 3
__constant__ float mask[WIDTH];
__global__ void convolve(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < WIDTH; ++j) {
    int at = i + j - WIDTH / 2;
    if (at >= 0 && at < n) sum += in[at] * mask[j];
  }
  if (i < n) out[i] = sum;
}

int main() {
  float host_mask[WIDTH] = {1, 2, 1};
  CHECK(cudaMemcpyToSymbol(mask, host_mask, sizeof host_mask));
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  convolve<<<16, 64>>>(x, x, 1024);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
