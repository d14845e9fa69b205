// A tiled transpose of a matrix with a pitch, copied row by row in both directions.
#include "check.h"

__global__ void transpose(const float* in, size_t in_pitch, float* out, size_t out_pitch, int width, int height) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = *(const float*)((const char*)in + y * in_pitch + x * 4);
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) *(float*)((char*)out + y * out_pitch + x * 4) = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 50, height = 30;
  float h[height][width], back[width][height], *in, *out;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) h[y][x] = 100 * y + x;
  size_t in_pitch, out_pitch;
  CHECK(cudaMallocPitch(&in, &in_pitch, sizeof h[0], height));
  CHECK(cudaMallocPitch(&out, &out_pitch, sizeof back[0], width));
  CHECK(cudaMemcpy2D(in, in_pitch, h, sizeof h[0], sizeof h[0], height, cudaMemcpyHostToDevice));
  transpose<<<dim3(4, 2), dim3(16, 16)>>>(in, in_pitch, out, out_pitch, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2D(back, sizeof back[0], out, out_pitch, sizeof back[0], width, cudaMemcpyDeviceToHost));
  std::printf("%g %g %g\n", back[0][1], back[49][0], back[49][29]);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}
