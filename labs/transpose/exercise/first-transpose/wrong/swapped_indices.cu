// Wrong: row and column are swapped when reading, but the row lengths are not.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns)
        out[column * rows + row] = in[(column * columns + row) % (rows * columns)];
}
