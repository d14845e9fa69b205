// loses: nothing
#include <cuda_pipeline.h>
extern "C" __global__ void transpose(const TYPE* source, TYPE* target, unsigned height, unsigned width)
{
    __shared__ TYPE room[TILE][TILE + 1];
    const unsigned column = blockIdx.x * TILE + threadIdx.x, line = blockIdx.y * TILE + threadIdx.y;
    if (line < height && column < width)
        __pipeline_memcpy_async(&room[threadIdx.y][threadIdx.x], &source[size_t(line) * width + column], sizeof(TYPE));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const unsigned to_line = blockIdx.x * TILE + threadIdx.y, to_column = blockIdx.y * TILE + threadIdx.x;
    if (to_line < width && to_column < height)
        target[size_t(to_line) * height + to_column] = room[threadIdx.x][threadIdx.y];
}
