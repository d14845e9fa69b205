// Wrong: out keeps the values of the previous run.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (in == nullptr && row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}
