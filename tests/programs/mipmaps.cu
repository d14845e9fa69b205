// Mipmapped arrays: levels filled by host or kernels; nearest and blended levels, bias and clamps.
#include "check.h"

const cudaChannelFormatDesc kFloats = {32, 0, 0, 0, cudaChannelFormatKindFloat};

struct Levels {
  cudaTextureFilterMode texels, levels;
  float bias, lowest, highest;
};

cudaTextureObject_t texture_of(cudaMipmappedArray_t array, Levels levels) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc description = {};
  description.normalizedCoords = 1;
  for (cudaTextureAddressMode& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = levels.texels;
  description.mipmapFilterMode = levels.levels;
  description.mipmapLevelBias = levels.bias;
  description.minMipmapLevelClamp = levels.lowest;
  description.maxMipmapLevelClamp = levels.highest;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

__global__ void by_level(cudaTextureObject_t texture, float x, float y, float step, float* out) {
  out[threadIdx.x] = tex2DLod<float>(texture, x, y, step * threadIdx.x - 1);
}
__global__ void by_gradient(cudaTextureObject_t texture, float x, float y, float side, float* out) {
  const float step = exp2f(threadIdx.x / 4.0f) / side;
  out[threadIdx.x] = tex2DGrad<float>(texture, x, y, make_float2(step, 0), make_float2(0, step / 2));
}
__global__ void without_level(cudaTextureObject_t texture, float y, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x / 16.0f, y);
}
__global__ void along_line(cudaTextureObject_t texture, float x, float* out) {
  out[threadIdx.x] = tex1DLod<float>(texture, x, threadIdx.x / 4.0f);
}
__global__ void in_layer(cudaTextureObject_t texture, float x, int layer, float* out) {
  out[threadIdx.x] = tex2DLayeredLod<float>(texture, x, x, layer, threadIdx.x / 4.0f);
}
// Four texels of the previous level make one.
__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int side) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= side || y >= side) return;
  float sum = 0;
  for (int i = 0; i < 4; i++) sum += surf2Dread<float>(from, (2 * x + i % 2) * 4, 2 * y + i / 2);
  surf2Dwrite(sum / 4, to, x * 4, y);
}

float* results;

void show(const char* what) {
  float h[16];
  CHECK(cudaMemcpy(h, results, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%s:", what);
  for (float one : h) std::printf(" %.9g", one);
  std::printf("\n");
}

void fill_level(cudaMipmappedArray_t levels, unsigned level) {
  static float texels[4096];
  cudaArray_t array;
  cudaExtent extent;
  cudaChannelFormatDesc format;
  unsigned flags;
  CHECK(cudaGetMipmappedArrayLevel(&array, levels, level));
  CHECK(cudaArrayGetInfo(&format, &extent, &flags, array));
  std::printf("level %u: %zu x %zu x %zu\n", level, extent.width, extent.height, extent.depth);
  const size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
  for (size_t i = 0; i < extent.width * height * depth; i++)
    texels[i] = 100.0f * level + i % extent.width + 7.0f * (i / extent.width);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels, extent.width * sizeof(float), extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
}

cudaMipmappedArray_t filled(cudaExtent extent, unsigned count, unsigned flags) {
  cudaMipmappedArray_t levels;
  CHECK(cudaMallocMipmappedArray(&levels, &kFloats, extent, count, flags));
  for (unsigned level = 0; level < count; level++) fill_level(levels, level);
  return levels;
}

cudaSurfaceObject_t surface_of(cudaMipmappedArray_t levels, unsigned level) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CHECK(cudaGetMipmappedArrayLevel(&resource.res.array.array, levels, level));
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

int main() {
  CHECK(cudaMalloc(&results, 16 * sizeof(float)));
  cudaMipmappedArray_t plane = filled(make_cudaExtent(16, 8, 0), 5, 0);
  for (const Levels levels : {Levels{cudaFilterModePoint, cudaFilterModePoint, 0, 0, 9},
                              Levels{cudaFilterModeLinear, cudaFilterModePoint, 0, 0, 9},
                              Levels{cudaFilterModePoint, cudaFilterModeLinear, 0, 0, 9},
                              Levels{cudaFilterModeLinear, cudaFilterModeLinear, 0, 0, 9},
                              Levels{cudaFilterModeLinear, cudaFilterModeLinear, 0.3f, 0.6f, 2.7f}}) {
    const cudaTextureObject_t texture = texture_of(plane, levels);
    by_level<<<1, 16>>>(texture, 0.3f, 0.61f, 0.37f, results);
    show("levels");
    by_gradient<<<1, 16>>>(texture, 0.3f, 0.61f, 32, results);
    show("gradients");
    without_level<<<1, 16>>>(texture, 0.4f, results);
    show("no level");
    CHECK(cudaDestroyTextureObject(texture));
  }
  const Levels mixed = {cudaFilterModeLinear, cudaFilterModeLinear, 0, 0, 9};
  cudaMipmappedArray_t line = filled(make_cudaExtent(20, 0, 0), 3, 0);
  along_line<<<1, 16>>>(texture_of(line, mixed), 0.37f, results);
  show("a line");
  cudaMipmappedArray_t layers = filled(make_cudaExtent(8, 8, 3), 4, cudaArrayLayered);
  in_layer<<<1, 16>>>(texture_of(layers, mixed), 0.37f, 2, results);
  show("a layer");
  cudaMipmappedArray_t made = filled(make_cudaExtent(16, 16, 0), 5, cudaArraySurfaceLoadStore);
  for (unsigned level = 1; level < 5; level++)
    halve<<<1, dim3(8, 8)>>>(surface_of(made, level - 1), surface_of(made, level), 16 >> level);
  by_level<<<1, 16>>>(texture_of(made, mixed), 0.3f, 0.61f, 0.37f, results);
  show("made by kernels");
  for (unsigned count : {0u, 3u, 9u}) {
    cudaMipmappedArray_t levels;
    cudaArray_t array;
    CHECK(cudaMallocMipmappedArray(&levels, &kFloats, make_cudaExtent(8, 4, 0), count, 0));
    unsigned got = 0;
    while (cudaGetMipmappedArrayLevel(&array, levels, got) == cudaSuccess) got++;
    std::printf("%u levels of %u: %s\n", got, count, cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFreeMipmappedArray(levels));
  }
  for (cudaMipmappedArray_t array : {plane, line, layers, made}) CHECK(cudaFreeMipmappedArray(array));
  CHECK(cudaFree(results));
}
