// A texture over rows with a pitch: points, linear filtering, and fetches beyond the edge.
#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float* out) {
  out[0] = tex2D<float>(texture, 2.5f, 1.5f);
  out[1] = tex2D<float>(texture, 3.0f, 1.5f);
  out[2] = tex2D<float>(texture, 3.0f, 2.0f);
  out[3] = tex2D<float>(texture, -5.0f, 0.5f);
  out[4] = tex2D<float>(texture, 99.0f, 99.0f);
}

int main() {
  const int width = 16, height = 4;
  float rows[height][width], h[5], *d, *out;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) rows[y][x] = 100 * y + x;
  size_t pitch;
  CHECK(cudaMallocPitch(&d, &pitch, width * sizeof(float), height));
  CHECK(cudaMemcpy2D(d, pitch, rows, sizeof rows[0], sizeof rows[0], height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = d;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  CHECK(cudaMalloc(&out, sizeof h));
  sample<<<1, 1>>>(texture, out);
  CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  for (float value : h) std::printf("%g ", value);
  std::printf("\n");
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(out));
  CHECK(cudaFree(d));
}
