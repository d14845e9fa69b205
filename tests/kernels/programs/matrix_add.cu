// Two-dimensional blocks and threads over a matrix.
// run: --kernel add --grid 2,4 --block 16,8 --arg buf:f32:960:iota --arg buf:f32:960:iota --arg buf:f32:960 --arg i32:30 --arg i32:32 --print c:959:1
// expect: [959] 1918
#include "common/check.h"
__global__ void add(const float* a, const float* b, float* c, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  add<<<dim3(2, 4), dim3(16, 8)>>>(x, x, x, 30, 32);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
