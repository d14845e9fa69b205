// A surface that a kernel writes, read back from its array.
#include "check.h"

__global__ void draw(cudaSurfaceObject_t surface) {
  surf2Dwrite<int>(threadIdx.y * 10 + threadIdx.x, surface, threadIdx.x * 4, threadIdx.y);
}

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  draw<<<1, dim3(4, 3)>>>(surface);
  int h[3][4];
  CHECK(cudaMemcpy2DFromArray(h, sizeof h[0], array, 0, 0, sizeof h[0], 3, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", h[0][3], h[1][0], h[2][3]);
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}
