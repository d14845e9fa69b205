// Transposes a matrix through a padded tile; a block of 32 x 8 threads moves a tile of 32 x 32 elements.
#include <cstdio>
#include <memory>

const int TILE = 32;
const int ROWS = 8;

__global__ void transposePadded(float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE][TILE + 1];

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

  __syncthreads();

  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
  const int width = 150, height = 100;
  const size_t bytes = sizeof(float) * width * height;
  auto in = std::make_unique<float[]>(width * height);
  auto out = std::make_unique<float[]>(width * height);
  for (int i = 0; i < width * height; i++)
    in[i] = i;

  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.get(), bytes, cudaMemcpyHostToDevice);

  dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  dim3 block(TILE, ROWS);
  transposePadded<<<grid, block>>>(d_out, d_in, width, height);
  cudaMemcpy(out.get(), d_out, bytes, cudaMemcpyDeviceToHost);

  int bad = 0;
  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      if (out[col * height + row] != in[row * width + col])
        bad++;
  printf("%s, %d bad\n", bad ? "FAIL" : "ok", bad);
  cudaFree(d_in);
  cudaFree(d_out);
  return bad != 0;
}
