// Each pixel becomes the mean of its existing neighbours and itself.
// run: --kernel blur --grid 1,1 --block 8,8 --arg buf:i32:64:iota --arg buf:i32:64 --arg i32:8 --print out:0:1
// expect: [0] 4
// run: --kernel blur --grid 1,1 --block 8,8 --arg buf:i32:64:iota --arg buf:i32:64 --arg i32:8 --print out:27:1
// expect: [27] 27
#include "common/check.h"
const int RADIUS = 1;
__global__ void blur(const int* in, int* out, int n) {
  int sum = 0, pixels = 0;
  for (int dy = -RADIUS; dy <= RADIUS; ++dy)
    for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
      int x = threadIdx.x + dx, y = threadIdx.y + dy;
      if (x < 0 || y < 0 || x >= n || y >= n) continue;
      sum += in[y * n + x];
      ++pixels;
    }
  out[threadIdx.y * n + threadIdx.x] = sum / pixels;
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  blur<<<1, dim3(8, 8)>>>(x, x, 8);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
