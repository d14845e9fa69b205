// Blurs an image with the mean of 3 x 3 pixels, from a tile with a border in shared memory.
#include <cmath>
#include <cstdio>
#include <vector>

#define TILE 16

__global__ void blur(const float* in, float* out, int width, int height)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int left = blockIdx.x * TILE - 1, top = blockIdx.y * TILE - 1;
    for (int y = threadIdx.y; y < TILE + 2; y += TILE)
        for (int x = threadIdx.x; x < TILE + 2; x += TILE) {
            bool inside = left + x >= 0 && left + x < width && top + y >= 0 && top + y < height;
            tile[y][x] = inside ? in[(top + y) * width + left + x] : 0;
        }
    __syncthreads();
    int column = left + 1 + threadIdx.x, row = top + 1 + threadIdx.y;
    if (column >= width || row >= height)
        return;
    float sum = 0;
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
            sum += tile[threadIdx.y + y][threadIdx.x + x];
    out[row * width + column] = sum / 9;
}

int main()
{
    const int width = 75, height = 41, n = width * height;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[i] = i % 23;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 threads(TILE, TILE), blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    blur<<<blocks, threads>>>(d_in, d_out, width, height);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) {
            float sum = 0;
            for (int y = row - 1; y <= row + 1; ++y)
                for (int x = column - 1; x <= column + 1; ++x)
                    sum += y >= 0 && y < height && x >= 0 && x < width ? in[y * width + x] : 0;
            wrong += std::fabs(out[row * width + column] - sum / 9) > 1e-4f;
        }
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong > 0;
}
