// One time step of the heat equation with register blocking: a thread computes EACH cells of a column.
//
//     thread      n      EACH + 2 cells of the column, each loaded once: the s of one cell is the c of the next cell
//                 c      and the n of the one after it. They stay in registers.
//                 c
//                 c      w and e belong to the columns of the neighbouring threads, which load them, too: these loads
//                 s      hit in L1.
//
// Per cell, this takes about three loads instead of five. All loads of a thread are independent, so they are in flight
// together.

extern "C" __global__ void heat(const float* __restrict__ in, float* out, int rows, int columns, float rate)
{
    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int top = (blockIdx.y * TILE_Y + threadIdx.y) * EACH;
    if (top >= rows || column >= columns)
        return;

    float c[EACH + 2], w[EACH], e[EACH];
    for (int j = 0; j < EACH + 2; ++j) {
        const int row = min(max(top + j - 1, 0), rows - 1);
        c[j] = in[size_t(row) * columns + column];
    }
    for (int j = 0; j < EACH; ++j) {
        const size_t line = size_t(min(top + j, rows - 1)) * columns;
        w[j] = in[line + max(column - 1, 0)];
        e[j] = in[line + min(column + 1, columns - 1)];
    }

    for (int j = 0; j < EACH; ++j)
        if (top + j < rows)
            out[size_t(top + j) * columns + column] = c[j + 1] + rate * (c[j] + c[j + 2] + w[j] + e[j] - 4 * c[j + 1]);
}
