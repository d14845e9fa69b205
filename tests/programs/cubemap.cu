// Cube maps: which face a direction hits, filtering at the edges of faces, layers of cube maps, levels.
#include <vector>

#include "check.h"

constexpr int kSide = 4, kFaces = 6, kCubes = 2;

// A texel's value tells its face, row and column.
float value_of(int face, int row, int column) { return 1000 * face + 100 * row + column; }

cudaArray_t cube_of(int cubes) {
  std::vector<float> texels;
  for (int face = 0; face < kFaces * cubes; face++)
    for (int i = 0; i < kSide * kSide; i++) texels.push_back(value_of(face, i / kSide, i % kSide));
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(kSide, kSide, kFaces * cubes);
  CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArrayCubemap | (cubes > 1 ? cudaArrayLayered : 0)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), kSide * sizeof(float), kSide, kSide);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                               int seamless) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.normalizedCoords = 1;
  description.filterMode = filter;
  description.seamlessCubemap = seamless;
  for (cudaTextureAddressMode& one : description.addressMode) one = mode;
  description.borderColor[0] = 1e6f;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

__global__ void fetch(cudaTextureObject_t texture, const float3* at, int count, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = texCubemap<float>(texture, at[i].x, at[i].y, at[i].z);
}
__global__ void fetch_layer(cudaTextureObject_t texture, const float3* at, int layer, int count, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = texCubemapLayered<float>(texture, at[i].x, at[i].y, at[i].z, layer);
}
__global__ void write_faces(cudaSurfaceObject_t surface) {
  const float old = surfCubemapread<float>(surface, threadIdx.x * 4, threadIdx.y, blockIdx.x);
  surfCubemapwrite(old + 0.5f, surface, threadIdx.x * 4, threadIdx.y, blockIdx.x);
}

std::vector<float3> directions() {
  std::vector<float3> all;
  for (int face = 0; face < kFaces; face++)
    for (float s : {-1.0f, -0.9f, -0.5f, -0.3f, 0.0f, 0.4f, 0.8f, 0.99f})
      for (float t : {-0.95f, 0.1f, 0.75f}) {
        const float side = face % 2 ? -2 : 2;
        all.push_back(face < 2   ? make_float3(side, 2 * s, 2 * t)
                      : face < 4 ? make_float3(2 * s, side, 2 * t)
                                 : make_float3(2 * s, 2 * t, side));
      }
  for (float x : {-1.0f, 0.0f, 1.0f})
    for (float y : {-1.0f, 0.0f, 1.0f})
      for (float z : {-1.0f, 0.0f, 1.0f}) all.push_back(make_float3(x, y, z));
  return all;
}

void show(const char* what, const float* results, std::size_t count) {
  std::vector<float> h(count);
  CHECK(cudaMemcpy(h.data(), results, count * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%s:", what);
  for (std::size_t i = 0; i < count; i++) std::printf("%c%.9g", i % 12 ? ' ' : '\n', h[i]);
  std::printf("\n");
}

int main() {
  const std::vector<float3> at = directions();
  const int count = static_cast<int>(at.size()), blocks = (count + 63) / 64;
  float3* places;
  float* results;
  CHECK(cudaMalloc(&places, at.size() * sizeof(float3)));
  CHECK(cudaMalloc(&results, at.size() * sizeof(float)));
  CHECK(cudaMemcpy(places, at.data(), at.size() * sizeof(float3), cudaMemcpyHostToDevice));

  cudaArray_t cube = cube_of(1), cubes = cube_of(kCubes);
  struct Case {
    const char* name;
    cudaTextureFilterMode filter;
    cudaTextureAddressMode mode;
    int seamless;
  };
  const Case cases[] = {{"nearest, clamp", cudaFilterModePoint, cudaAddressModeClamp, 0},
                        {"nearest, wrap", cudaFilterModePoint, cudaAddressModeWrap, 0},
                        {"linear, clamp", cudaFilterModeLinear, cudaAddressModeClamp, 0},
                        {"linear, wrap", cudaFilterModeLinear, cudaAddressModeWrap, 0},
                        {"linear, border", cudaFilterModeLinear, cudaAddressModeBorder, 0},
                        {"linear, seamless", cudaFilterModeLinear, cudaAddressModeClamp, 1}};
  for (const Case& one : cases) {
    const cudaTextureObject_t texture = texture_of(cube, one.filter, one.mode, one.seamless);
    fetch<<<blocks, 64>>>(texture, places, count, results);
    CHECK(cudaGetLastError());
    show(one.name, results, at.size());
    CHECK(cudaDestroyTextureObject(texture));
  }
  const cudaTextureObject_t texture = texture_of(cubes, cudaFilterModeLinear, cudaAddressModeClamp, 0);
  for (int layer : {0, 1, 2}) {
    fetch_layer<<<blocks, 64>>>(texture, places, layer, count, results);
    CHECK(cudaGetLastError());
    show(layer == 0 ? "layer 0" : layer == 1 ? "layer 1" : "layer 2", results, 24);
  }
  CHECK(cudaDestroyTextureObject(texture));

  cudaArray_t written;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMalloc3DArray(&written, &format, make_cudaExtent(kSide, kSide, kFaces),
                          cudaArrayCubemap | cudaArraySurfaceLoadStore));
  cudaMemcpy3DParms copy = {};
  copy.srcArray = cube;
  copy.dstArray = written;
  copy.extent = make_cudaExtent(kSide, kSide, kFaces);
  copy.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = written;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  write_faces<<<kFaces, dim3(kSide, kSide)>>>(surface);
  CHECK(cudaGetLastError());
  std::vector<float> texels(kFaces * kSide * kSide);
  cudaMemcpy3DParms back = {};
  back.srcArray = written;
  back.dstPtr = make_cudaPitchedPtr(texels.data(), kSide * sizeof(float), kSide, kSide);
  back.extent = make_cudaExtent(kSide, kSide, kFaces);
  back.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&back));
  std::printf("written: %g %g %g\n", texels[0], texels[kSide * kSide + 5], texels.back());

  cudaArray_t narrow, open, broken;
  std::printf("4 x 3 texels: %s\n", cudaGetErrorName(cudaMalloc3DArray(
                                        &narrow, &format, make_cudaExtent(4, 3, 6), cudaArrayCubemap)));
  std::printf("5 faces: %s\n", cudaGetErrorName(cudaMalloc3DArray(&open, &format, make_cudaExtent(4, 4, 5),
                                                                  cudaArrayCubemap)));
  std::printf("8 faces, layered: %s\n",
              cudaGetErrorName(cudaMalloc3DArray(&broken, &format, make_cudaExtent(4, 4, 8),
                                                 cudaArrayCubemap | cudaArrayLayered)));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("limits: %d; %d, %d; surfaces %d; %d, %d\n", properties.maxTextureCubemap,
              properties.maxTextureCubemapLayered[0], properties.maxTextureCubemapLayered[1],
              properties.maxSurfaceCubemap, properties.maxSurfaceCubemapLayered[0],
              properties.maxSurfaceCubemapLayered[1]);
  CHECK(cudaDestroySurfaceObject(surface));
  for (cudaArray_t array : {cube, cubes, written}) CHECK(cudaFreeArray(array));
  CHECK(cudaFree(places));
  CHECK(cudaFree(results));
}
