// Tiles in shared memory, whose size is a template parameter.
// run: --kernel matmul<float,16> --grid 2,2 --block 16,16 --arg buf:f32:1024:iota --arg buf:f32:1024:iota --arg buf:f32:1024 --arg i32:32 --print c:0:1
// expect: [0] 333312
// run: --kernel matmul<double,8> --grid 4,4 --block 8,8 --arg buf:f64:1024:iota --arg buf:f64:1024:iota --arg buf:f64:1024 --arg i32:32 --print c:0:1
// expect: [0] 333312
#include "common/check.h"
template <typename T, int TILE>
__global__ void matmul(const T* a, const T* b, T* c, int n) {
  __shared__ T as[TILE][TILE], bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  T sum = 0;
  for (int tile = 0; tile < n / TILE; ++tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + tile * TILE + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(tile * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  matmul<float, 16><<<dim3(2, 2), dim3(16, 16)>>>(x, x, x, 32);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
