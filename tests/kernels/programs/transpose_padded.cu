// A padded tile transposes a matrix without bank conflicts.
// run: --kernel transpose --grid 2,2 --block 32,8 --arg buf:i32:4096:iota --arg buf:i32:4096 --arg i32:64 --print out:1:2
// expect: [1] 64 128
#include "common/check.h"
const int kTile = 32, kRows = 8;
__global__ void transpose(const int* in, int* out, int n) {
  __shared__ int tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  std::vector<int> host(4096, int(1));
  int* x = to_device(host);
  Timer timer;
  transpose<<<dim3(2, 2), dim3(kTile, kRows)>>>(x, x, 64);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
