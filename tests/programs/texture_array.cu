// A texture object of a 2D array, with linear filtering.
#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x * 0.5f + 0.5f, 1.0f);
}

int main() {
  const float texels[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 2));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  float out[8], *d;
  CHECK(cudaMalloc(&d, sizeof out));
  sample<<<1, 8>>>(texture, d);
  CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (float value : out) std::printf("%g ", value);
  std::printf("\n");
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d));
}
