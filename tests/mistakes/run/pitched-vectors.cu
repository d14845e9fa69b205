// Adds the components of vectors in padded rows.
#include <cstdio>
#include <vector>

__global__ void add_components(const float2* vectors, size_t pitch, float* sums, int columns, int rows)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows)
        return;
    const float2* line = (const float2*)((const char*)vectors + row * pitch);
    sums[row * columns + column] = line[column].x + line[column].y;
}

int main()
{
    const int columns = 45, rows = 20;
    std::vector<float2> vectors(columns * rows);
    std::vector<float> sums(columns * rows);
    for (int i = 0; i < columns * rows; ++i)
        vectors[i] = make_float2(i, 2 * i);
    float2* d_vectors;
    float* d_sums;
    size_t pitch, width = columns * sizeof(float2);
    cudaMallocPitch(&d_vectors, &pitch, width, rows);
    cudaMalloc(&d_sums, columns * rows * sizeof(float));
    cudaMemcpy2D(d_vectors, pitch, vectors.data(), width, width, rows, cudaMemcpyHostToDevice);
    dim3 block(32, 4), grid((columns + 31) / 32, (rows + 3) / 4);
    add_components<<<grid, block>>>(d_vectors, pitch, d_sums, columns, rows);
    cudaMemcpy(sums.data(), d_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < columns * rows; ++i)
        wrong += sums[i] != 3.0f * i;
    printf("%d wrong\n", wrong);
    cudaFree(d_vectors);
    cudaFree(d_sums);
    return wrong > 0;
}
