// 2.5D blocking: a thread computes DEPTH cells of a column of the volume, one plane after the other.
//
//     plane z + 1    u       loaded now; it is the next c
//     plane z        c       in a register: the last u. Its neighbours n, s, w and e are loaded: the block has loaded
//     plane z - 1    d       their plane one step before, so they hit in L1.
//                    |
//                in a register: the last c
//
// From one plane to the next, c becomes d and u becomes c: one new cell per plane, and no cell comes from L2 three times.
// This is register blocking as in 4_heat_column.cu, in the direction in which neighbours are far apart in memory.

extern "C" __global__ void heat(const float* __restrict__ in, float* out, int side, float rate)
{
    const int x = blockIdx.x * TILE_X + threadIdx.x;
    const int y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= side || y >= side)
        return;

    const size_t plane = size_t(side) * side;
    const size_t at = size_t(y) * side + x;  // in a plane
    const size_t north = size_t(max(y - 1, 0)) * side + x, south = size_t(min(y + 1, side - 1)) * side + x;
    const size_t west = size_t(y) * side + max(x - 1, 0), east = size_t(y) * side + min(x + 1, side - 1);

    const int first = blockIdx.z * DEPTH, last = min(first + DEPTH, side);
    float d = in[max(first - 1, 0) * plane + at];
    float c = in[first * plane + at];
    for (int z = first; z < last; ++z) {
        const float* here = &in[z * plane];
        const float u = in[min(z + 1, side - 1) * plane + at];
        out[z * plane + at] = c + rate * (here[north] + here[south] + here[west] + here[east] + u + d - 6 * c);
        d = c;
        c = u;
    }
}
