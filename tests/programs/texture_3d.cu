// A texture of a 3D array.
#include "check.h"

__global__ void read(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex3D<float>(texture, threadIdx.x + 0.5f, 1.5f, 1.5f);
}

int main() {
  float h[2][2][4], out[4], *d;
  for (int i = 0; i < 16; i++) (&h[0][0][0])[i] = i;
  cudaExtent extent = make_cudaExtent(4, 2, 2);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(h, sizeof h[0][0], 4, 2);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  CHECK(cudaMalloc(&d, sizeof out));
  read<<<1, 4>>>(texture, d);
  CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  std::printf("%g %g\n", out[0], out[3]);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d));
}
