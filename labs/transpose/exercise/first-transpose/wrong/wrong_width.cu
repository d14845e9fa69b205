// Wrong: out is indexed as if its rows were as long as those of in, so elements overwrite each other.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns)
        out[(column * columns + row) % (rows * columns)] = in[row * columns + column];
}
