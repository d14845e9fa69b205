// A texture object of linear memory.
#include "check.h"

__global__ void fetch(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex1Dfetch<int>(texture, 7 - threadIdx.x);
}

int main() {
  int h[8], *in, *out;
  for (int i = 0; i < 8; i++) h[i] = i * i;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, sizeof h));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof h;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  fetch<<<1, 8>>>(texture, out);
  CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  for (int value : h) std::printf("%d ", value);
  std::printf("\n");
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}
