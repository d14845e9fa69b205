// Virtual functions of objects that a kernel creates.
// run: --kernel areas --grid 1 --block 4 --arg buf:f32:4 --print out:0:4
// expect: [0] 4 3 4 3
#include "common/check.h"
class Figure {
 public:
  __device__ virtual float area() const = 0;
};
class Square : public Figure {
 public:
  __device__ explicit Square(float side) : side_(side) {}
  __device__ float area() const override { return side_ * side_; }

 private:
  float side_;
};
class Bar : public Figure {
 public:
  __device__ float area() const override { return 3; }
};
__global__ void areas(float* out) {
  Square square(2);
  Bar bar;
  const Figure* figure = threadIdx.x % 2 ? static_cast<const Figure*>(&bar) : &square;
  out[threadIdx.x] = figure->area();
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  areas<<<1, 4>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
