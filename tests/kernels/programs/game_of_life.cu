// The game of life on a torus.
// run: --kernel life --grid 1,1 --block 8,8 --arg buf:u8:64:zero --arg buf:u8:64 --arg i32:8 --symbol glider=i32:1,8,9,10,0 --print out:0:11
// expect: [ 0] 1 0 1 0 0 0 0 0
#include "common/check.h"
__constant__ int glider[5];
__global__ void life(const unsigned char* in, unsigned char* out, int n) {
  __shared__ unsigned char cells[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  cells[y][x] = in[y * n + x];
  for (int i = 0; i < 5; ++i) cells[y][x] |= glider[i] == y * n + x;
  __syncthreads();
  int alive = 0;
  for (int dy = n - 1; dy <= n + 1; ++dy)
    for (int dx = n - 1; dx <= n + 1; ++dx)
      if (dx != n || dy != n) alive += cells[(y + dy) % n][(x + dx) % n];
  out[y * n + x] = alive == 3 || (alive == 2 && cells[y][x]);
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  life<<<1, dim3(8, 8)>>>((unsigned char*)x, (unsigned char*)x, 8);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
