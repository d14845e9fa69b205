// A matrix as an array of pointers to its rows.
// run: --kernel sums --grid 1 --block 4 --arg [4*buf:f32:16:iota] --arg i32:16 --arg buf:f32:4 --print out:0:2
// expect: [0] 120 120
#include "common/check.h"
__global__ void sums(float** rows, int cols, float* out) {
  float sum = 0;
  for (int i = 0; i < cols; ++i) sum += rows[threadIdx.x][i];
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  sums<<<1, 4>>>(nullptr, 0, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
