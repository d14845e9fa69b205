// Wrong: it stores along rows, and loads along columns instead.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.x;
    const unsigned column = blockIdx.x * TILE + threadIdx.y;
    if (row < rows && column < columns)
        out[size_t(column) * rows + row] = in[size_t(row) * columns + column];
}
