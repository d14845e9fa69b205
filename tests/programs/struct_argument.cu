// A structure passed by value.
#include "check.h"

struct Line {
  double slope;
  int offset;
  char name[4];
};

__global__ void draw(Line line, double* out) { out[threadIdx.x] = line.slope * threadIdx.x + line.offset + line.name[1]; }

int main() {
  double h[4], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  draw<<<1, 4>>>(Line{0.5, 3, {1, 2, 3, 4}}, d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g %g\n", h[0], h[3]);
  CHECK(cudaFree(d));
}
