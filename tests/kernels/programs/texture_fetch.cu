// Linear memory through a texture object.
// run: --kernel gather --grid 1 --block 32 --arg tex:f32:32:iota --arg buf:f32:32 --print out:0:3
// expect: [0] 31 30 29
#include "common/check.h"
__global__ void gather(cudaTextureObject_t from, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(from, blockDim.x - 1 - threadIdx.x);
}

int main() {
  float* x = to_device(std::vector<float>(32, 1.0f));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = x;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 32 * sizeof(float);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  gather<<<1, 32>>>(texture, x);
  CHECK(cudaDestroyTextureObject(texture));
  return 0;
}
