// One time step of the heat equation, one cell per thread, with the plate in a texture.
//
//     cudaAddressModeClamp    a fetch beyond an edge returns the cell at the edge: the kernel needs no min and max
//
// The centre of cell (row, column) is at (column + 0.5, row + 0.5). This is the shortest code of all stages. But a fetch
// passes through the texture units, and they deliver fewer cells per cycle than loads do.

extern "C" __global__ void heat(cudaTextureObject_t in, float* out, int rows, int columns, float rate)
{
    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;

    const float x = column + 0.5f, y = row + 0.5f;
    const float c = tex2D<float>(in, x, y);
    const float n = tex2D<float>(in, x, y - 1);
    const float s = tex2D<float>(in, x, y + 1);
    const float w = tex2D<float>(in, x - 1, y);
    const float e = tex2D<float>(in, x + 1, y);
    out[size_t(row) * columns + column] = c + rate * (n + s + w + e - 4 * c);
}
