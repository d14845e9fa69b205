// C = A B with tiles in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 8

__global__ void multiply(const float* a, const float* b, float* c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        int k = first + threadIdx.x, l = first + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0;
        tile_b[threadIdx.y][threadIdx.x] = column < n && l < n ? b[l * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

int main()
{
    const int n = 50;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = i % 4;
        b[i] = i % 3;
    }
    size_t bytes = n * n * sizeof(float);
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    multiply<<<grid, block>>>(d_a, d_b, d_c, n);
    cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[y * n + k] * b[k * n + x];
            wrong += c[y * n + x] != sum;
        }
    printf("%d wrong\n", wrong);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return wrong > 0;
}
