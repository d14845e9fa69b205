// A box copied out of a 3D allocation.
#include "check.h"

__global__ void number(cudaPitchedPtr box, int width, int height) {
  char* slice = (char*)box.ptr + threadIdx.z * box.pitch * height;
  ((int*)(slice + threadIdx.y * box.pitch))[threadIdx.x] = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
}

int main() {
  const int width = 4, height = 3, depth = 2;
  int h[depth][height][width];
  cudaPitchedPtr box;
  cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  CHECK(cudaMalloc3D(&box, extent));
  number<<<1, dim3(width, height, depth)>>>(box, width, height);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(h, width * sizeof(int), width, height);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  std::printf("%d %d %d\n", h[0][0][3], h[1][0][0], h[1][2][3]);
  CHECK(cudaFree(box.ptr));
}
