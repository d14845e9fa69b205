// One time step of the heat equation, one cell per thread: five loads per cell.
//
//     . n .        out = c + rate * (n + s + w + e - 4 c)
//     w c e
//     . s .        The edges are insulated: beyond an edge, the plate goes on as it ends, so no heat flows there.
//
// The loads of n, c and s are coalesced, those of w and e are one cell off. Neighbouring threads load the same cells, so
// most loads hit in L1, but each of them is an instruction and a request.

extern "C" __global__ void heat(const float* in, float* out, int rows, int columns, float rate)
{
    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;

    const size_t line = size_t(row) * columns;
    const float c = in[line + column];
    const float n = in[size_t(max(row - 1, 0)) * columns + column];
    const float s = in[size_t(min(row + 1, rows - 1)) * columns + column];
    const float w = in[line + max(column - 1, 0)];
    const float e = in[line + min(column + 1, columns - 1)];
    out[line + column] = c + rate * (n + s + w + e - 4 * c);
}
