// Reads texels by integer and real coordinates, in one to three dimensions; reads and writes a surface.
extern "C" __global__ void fetch_linear(cudaTextureObject_t texture, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, i);
}

extern "C" __global__ void sample_1d(cudaTextureObject_t texture, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(texture, (i + 0.5f) / n);
}

extern "C" __global__ void sample_2d(cudaTextureObject_t texture, float4* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
}

extern "C" __global__ void sample_2d_bytes(cudaTextureObject_t texture, uchar4* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<uchar4>(texture, x + 0.5f, y + 0.5f);
}

extern "C" __global__ void sample_level(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2DLod<float>(texture, threadIdx.x + 0.5f, 0.5f, 0.0f);
}

extern "C" __global__ void sample_layer(cudaTextureObject_t texture, float* out, int layer) {
  out[threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x + 0.5f, 0.5f, layer);
}

extern "C" __global__ void gather(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] = tex2Dgather<float4>(texture, threadIdx.x + 1.0f, 1.0f, 0);
}

extern "C" __global__ void sample_3d(cudaTextureObject_t texture, float* out, int edge) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * edge + y) * edge + x] = tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
}

extern "C" __global__ void invert_surface(cudaSurfaceObject_t surface, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float value = surf2Dread<float>(surface, x * static_cast<int>(sizeof(float)), y);
  surf2Dwrite(1.0f - value, surface, x * static_cast<int>(sizeof(float)), y);
}
