// Objects with virtual functions that kernels create and delete, and a table of function pointers.
#include "check.h"

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Box : Shape {
  float a, b;
  __device__ Box(float x, float y) : a(x), b(y) {}
  __device__ float area() const override { return a * b; }
};

__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ float (*table[])(float) = {twice, half_of};

__global__ void make(Shape** shapes) {
  if (threadIdx.x % 2) shapes[threadIdx.x] = new Box(threadIdx.x, 3);
  else shapes[threadIdx.x] = new Square(threadIdx.x);
}
__global__ void measure(Shape** shapes, float* out) {
  out[threadIdx.x] = table[threadIdx.x / 2](shapes[threadIdx.x]->area());
  delete shapes[threadIdx.x];
}

int main() {
  Shape** shapes;
  float h[4], *d;
  CHECK(cudaMalloc(&shapes, 4 * sizeof(Shape*)));
  CHECK(cudaMalloc(&d, sizeof h));
  make<<<1, 4>>>(shapes);
  measure<<<1, 4>>>(shapes, d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
  CHECK(cudaFree(d));
  CHECK(cudaFree(shapes));
}
