// Each thread computes one element of a product.
// run: --kernel matmul --grid 1,1 --block 16,16 --arg buf:f32:256:iota --arg buf:f32:256:iota --arg buf:f32:256 --arg i32:16 --print c:0:1
// expect: [0] 19840
#include "common/check.h"
#define IDX(row, col, n) ((row) * (n) + (col))
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[IDX(row, k, n)] * b[IDX(k, col, n)];
  c[IDX(row, col, n)] = sum;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  matmul<<<1, dim3(16, 16)>>>(x, x, x, 16);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
