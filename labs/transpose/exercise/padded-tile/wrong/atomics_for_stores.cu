// Right, but the tile is written column by column, by atomic operations.

__device__ void write(float* to, float value) { atomicExch(to, value); }
__device__ void write(double* to, double value)
{
    atomicExch(reinterpret_cast<unsigned long long*>(to), __double_as_longlong(value));
}

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];

    __syncthreads();

    if (row < rows && column < columns)
        write(&out[size_t(column) * rows + row], tile[threadIdx.y][threadIdx.x]);
}
