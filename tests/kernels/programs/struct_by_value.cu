// A structure of numbers as one argument.
// run: --kernel fill --grid 1 --block 16 --arg {i32:4,i32:4,f32:0.5} --arg buf:f32:16 --print out:15:1
// expect: [15] 7.5
#include "common/check.h"
struct Shape {
  int rows, cols;
  float scale;
};
__global__ void fill(Shape shape, float* out) {
  if (threadIdx.x < shape.rows * shape.cols) out[threadIdx.x] = threadIdx.x * shape.scale;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  fill<<<1, 16>>>(Shape{4, 4, 0.5f}, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
