// A layered array: a surface writes its layers, a texture reads them.
#include "check.h"

__global__ void fill(cudaSurfaceObject_t surface) {
  surf2DLayeredwrite<int>(threadIdx.y * 8 + threadIdx.x + 1000 * (int)blockIdx.x, surface,
                          threadIdx.x * sizeof(int), threadIdx.y, blockIdx.x);
}
__global__ void look(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex2DLayered<int>(texture, 3.5f, 2.5f, threadIdx.x);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  fill<<<3, dim3(8, 4)>>>(surface);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  int h[3], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  look<<<1, 3>>>(texture, d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", h[0], h[1], h[2]);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d));
}
