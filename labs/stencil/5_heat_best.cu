// Best time step of the heat equation: 16-byte accesses, columns in registers, left and right neighbours by shuffles.
//
//     lane 0         lane 1         lane 2                a thread has WIDE cells of each of EACH rows
//     [c c c c]  ->  [c c c c]  ->  [c c c c]             the last cell of a lane is the w of the next lane
//                <-             <-                        the first cell of a lane is the e of the previous lane
//
// Per row, a warp makes one request for its 512 bytes, and lanes 0 and 31 load one cell beside them. The rows above and
// below stay in registers, as in 4_heat_column.cu.
//
// WIDE is 4 if it divides the columns, so each chunk is aligned, and inside the plate or outside; otherwise it is 1.

struct alignas(WIDE * sizeof(float)) Chunk { float cell[WIDE]; };

extern "C" __global__ void heat(const float* __restrict__ in, float* out, int rows, int columns, float rate)
{
    const int lane = threadIdx.x;
    const int column = (blockIdx.x * 32 + lane) * WIDE;
    const int top = (blockIdx.y * TILE_Y + threadIdx.y) * EACH;
    if (top >= rows)
        return;  // a whole warp: the shuffles below need all lanes of the others

    const int from = min(column, columns - WIDE);
    Chunk c[EACH + 2];
    for (int j = 0; j < EACH + 2; ++j) {
        const int row = min(max(top + j - 1, 0), rows - 1);
        c[j] = *(const Chunk*)&in[size_t(row) * columns + from];
    }
    float beside[EACH];
    const int next_to = lane == 0 ? max(column - 1, 0) : min(column + WIDE, columns - 1);
    if (lane == 0 || lane == 31)
        for (int j = 0; j < EACH; ++j)
            beside[j] = in[size_t(min(top + j, rows - 1)) * columns + next_to];

    for (int j = 0; j < EACH; ++j) {
        const Chunk own = c[j + 1];
        float w = __shfl_up_sync(0xffffffff, own.cell[WIDE - 1], 1);
        float e = __shfl_down_sync(0xffffffff, own.cell[0], 1);
        if (lane == 0)
            w = beside[j];
        if (lane == 31)
            e = beside[j];
        if (column + WIDE == columns)
            e = own.cell[WIDE - 1];

        Chunk next;
        for (int i = 0; i < WIDE; ++i) {
            const float left = i > 0 ? own.cell[i - 1] : w;
            const float right = i < WIDE - 1 ? own.cell[i + 1] : e;
            next.cell[i] = own.cell[i] + rate * (c[j].cell[i] + c[j + 2].cell[i] + left + right - 4 * own.cell[i]);
        }
        if (top + j < rows && column < columns)
            *(Chunk*)&out[size_t(top + j) * columns + column] = next;
    }
}
