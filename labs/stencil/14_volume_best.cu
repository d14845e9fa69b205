// Best time step in a volume: 16-byte accesses, rows and planes in registers.
//
//     plane z, rows of a thread         a thread has WIDE x EACH cells of each plane
//     n  [    ]                         n and s: one row above and one below its cells, which hit in L1
//        [cccc]                         w and e: from the neighbouring lanes by shuffles, at the ends of a warp by loads
//        [cccc]                         u and d: in registers, from one plane to the next
//     s  [    ]
//
// The loads of the next plane do not depend on this one, so they are in flight while this plane is computed.
//
// WIDE is 4 if it divides the side, so each chunk is aligned and inside the volume or outside; otherwise it is 1.

struct alignas(WIDE * sizeof(float)) Chunk { float cell[WIDE]; };

extern "C" __global__ void heat(const float* __restrict__ in, float* out, int side, float rate)
{
    const int lane = threadIdx.x;
    const int column = (blockIdx.x * 32 + lane) * WIDE;
    const int top = (blockIdx.y * TILE_Y + threadIdx.y) * EACH;
    if (top >= side)
        return;  // a whole warp: the shuffles below need all lanes of the others

    const int from = min(column, side - WIDE);
    const int next_to = lane == 0 ? max(column - 1, 0) : min(column + WIDE, side - 1);
    const size_t plane = size_t(side) * side;
    const int first = blockIdx.z * DEPTH, last = min(first + DEPTH, side);

    Chunk d[EACH], c[EACH + 2], u[EACH + 2];
    for (int j = 0; j < EACH + 2; ++j) {
        const int row = min(max(top + j - 1, 0), side - 1);
        c[j] = *(const Chunk*)&in[first * plane + size_t(row) * side + from];
    }
    for (int j = 0; j < EACH; ++j) {
        const int row = min(top + j, side - 1);
        d[j] = *(const Chunk*)&in[max(first - 1, 0) * plane + size_t(row) * side + from];
    }

    for (int z = first; z < last; ++z) {
        for (int j = 0; j < EACH + 2; ++j) {
            const int row = min(max(top + j - 1, 0), side - 1);
            u[j] = *(const Chunk*)&in[min(z + 1, side - 1) * plane + size_t(row) * side + from];
        }
        float beside[EACH];
        if (lane == 0 || lane == 31)
            for (int j = 0; j < EACH; ++j)
                beside[j] = in[z * plane + size_t(min(top + j, side - 1)) * side + next_to];

        for (int j = 0; j < EACH; ++j) {
            const Chunk own = c[j + 1];
            float w = __shfl_up_sync(0xffffffff, own.cell[WIDE - 1], 1);
            float e = __shfl_down_sync(0xffffffff, own.cell[0], 1);
            if (lane == 0)
                w = beside[j];
            if (lane == 31)
                e = beside[j];
            if (column + WIDE == side)
                e = own.cell[WIDE - 1];

            Chunk next;
            for (int i = 0; i < WIDE; ++i) {
                const float left = i > 0 ? own.cell[i - 1] : w;
                const float right = i < WIDE - 1 ? own.cell[i + 1] : e;
                next.cell[i] = own.cell[i] + rate * (c[j].cell[i] + c[j + 2].cell[i] + left + right + u[j + 1].cell[i] +
                                                     d[j].cell[i] - 6 * own.cell[i]);
            }
            if (top + j < side && column < side)
                *(Chunk*)&out[z * plane + size_t(top + j) * side + column] = next;
            d[j] = own;
        }
        for (int j = 0; j < EACH + 2; ++j)
            c[j] = u[j];
    }
}
