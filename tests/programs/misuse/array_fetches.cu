// Every kind of fetch from every kind of CUDA array, also combinations that do not match.
#include <cstdio>
#include <cstdlib>
#include <vector>

enum Fetch { k1D, k2DRow0, k2DRow1, k3D, k1DLayered, k2DLayered, k1DHalf, k2DHalf };
static const char* const kNames[] = {"tex1D(i)", "tex2D(i,0)", "tex2D(i,1)", "tex3D(i,1,1)", "tex1DLayered(i,1)", "tex2DLayered(i,1,1)", "tex1D(i+.5)", "tex2D(i+.5,1.5)"};

__global__ void fetch(cudaTextureObject_t t, Fetch how, float* out) {
  const int i = threadIdx.x;
  float v = -1;
  switch (how) {
    case k1D: v = tex1D<float>(t, i); break;
    case k2DRow0: v = tex2D<float>(t, i, 0); break;
    case k2DRow1: v = tex2D<float>(t, i, 1); break;
    case k3D: v = tex3D<float>(t, i, 1, 1); break;
    case k1DLayered: v = tex1DLayered<float>(t, i, 1); break;
    case k2DLayered: v = tex2DLayered<float>(t, i, 1, 1); break;
    case k1DHalf: v = tex1D<float>(t, i + .5f); break;
    case k2DHalf: v = tex2D<float>(t, i + .5f, 1.5f); break;
  }
  out[i] = v;
}
__global__ void read_surface(cudaSurfaceObject_t s, int how, float* out) {
  const int i = threadIdx.x;
  float v = -1;
  switch (how) {
    case 0: surf1Dread(&v, s, i * 4, cudaBoundaryModeZero); break;
    case 1: surf2Dread(&v, s, i * 4, 1, cudaBoundaryModeZero); break;
    case 2: surf3Dread(&v, s, i * 4, 1, 1, cudaBoundaryModeZero); break;
    case 3: surf1DLayeredread(&v, s, i * 4, 1, cudaBoundaryModeZero); break;
    case 4: surf2DLayeredread(&v, s, i * 4, 1, 1, cudaBoundaryModeZero); break;
    case 5: surf2Dread(&v, s, i * 4, 0, cudaBoundaryModeZero); break;
  }
  out[i] = v;
}

static void print(const char* how, const float* out) {
  const cudaError_t at_launch = cudaGetLastError(), at_end = cudaDeviceSynchronize();
  std::printf("  %-20s", how);
  if (at_launch != cudaSuccess || at_end != cudaSuccess) {
    std::printf(" %s, %s\n", cudaGetErrorName(at_launch), cudaGetErrorName(at_end));
    return;
  }
  float host[8];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (float v : host) std::printf(" %g", v);
  std::printf("\n");
}

static void try_all(const char* what, cudaExtent extent, unsigned flags, float* out) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  const cudaError_t made = flags == ~0u ? cudaMallocArray(&array, &format, extent.width, extent.height)
                                        : cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore);
  std::printf("%s: %s\n", what, cudaGetErrorName(made));
  if (made != cudaSuccess) return;
  const cudaExtent filled{extent.width, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1};
  std::vector<float> host(filled.width * filled.height * filled.depth);
  for (size_t i = 0; i < host.size(); ++i) host[i] = 1 + i % filled.width + 100 * (i / filled.width);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), filled.width * 4, filled.width, filled.height);
  copy.dstArray = array;
  copy.extent = filled;
  copy.kind = cudaMemcpyHostToDevice;
  std::printf("  copy %s\n", cudaGetErrorName(cudaMemcpy3D(&copy)));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  std::printf("  texture %s\n", cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &how, nullptr)));
  for (int f = 0; f <= k2DHalf; ++f) {
    cudaMemset(out, 0xff, 32);
    fetch<<<1, 8>>>(texture, (Fetch)f, out);
    print(kNames[f], out);
  }
  cudaDestroyTextureObject(texture);
  if (flags != ~0u) {
    cudaSurfaceObject_t surface = 0;
    std::printf("  surface %s\n", cudaGetErrorName(cudaCreateSurfaceObject(&surface, &resource)));
    static const char* const names[] = {"surf1D", "surf2D(1)", "surf3D(1,1)", "surf1DLayered(1)", "surf2DLayered(1,1)", "surf2D(0)"};
    for (int f = 0; f < 6; ++f) {
      cudaMemset(out, 0xff, 32);
      read_surface<<<1, 8>>>(surface, f, out);
      print(names[f], out);
      if (cudaGetLastError() != cudaSuccess) break;
    }
    cudaDestroySurfaceObject(surface);
  }
  cudaFreeArray(array);
}

int main(int argc, char** argv) {
  float* out = nullptr;
  cudaMalloc(&out, 4096);
  const int which = argc > 1 ? atoi(argv[1]) : -1;
  struct { const char* what; cudaExtent extent; unsigned flags; } rows[] = {
      {"cudaMallocArray 10 x 0", {10, 0, 0}, ~0u}, {"cudaMallocArray 10 x 1", {10, 1, 0}, ~0u}, {"cudaMallocArray 10 x 2", {10, 2, 0}, ~0u},
      {"1D, 10", {10, 0, 0}, 0}, {"2D, 10 x 1", {10, 1, 0}, 0}, {"2D, 10 x 3", {10, 3, 0}, 0}, {"3D, 10 x 3 x 2", {10, 3, 2}, 0},
      {"1D layered, 10, 3 layers", {10, 0, 3}, cudaArrayLayered}, {"2D layered, 10 x 3, 2 layers", {10, 3, 2}, cudaArrayLayered}};
  for (int i = 0; i < 9; ++i)
    if (which < 0 || which == i) try_all(rows[i].what, rows[i].extent, rows[i].flags, out);
}
