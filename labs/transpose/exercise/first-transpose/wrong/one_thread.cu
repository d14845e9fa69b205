// Wrong: one thread per block moves all elements of the tile.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    if (threadIdx.x > 0 || threadIdx.y > 0)
        return;
    const unsigned top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    for (unsigned row = top; row < top + TILE && row < rows; ++row)
        for (unsigned column = left; column < left + TILE && column < columns; ++column)
            out[column * rows + row] = in[row * columns + column];
}
