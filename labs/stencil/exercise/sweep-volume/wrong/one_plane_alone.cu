// One time step of the heat equation in a volume: a thread computes DEPTH cells of a column, plane after plane.
//
//     plane z + 1    u        out = c + rate * (n + s + w + e + u + d - 6 c)
//     plane z        c
//     plane z - 1    d        n, s, w and e are the neighbours of c in its plane. Beyond the surface, the volume goes on as
//                             it ends. The volume has side x side x side cells.

extern "C" __global__ void heat(const float* in, float* out, int side, float rate)
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
    for (int z = first; z < first + 1; ++z) {
        const float* here = &in[z * plane];
        const float u = in[min(z + 1, side - 1) * plane + at];
        out[z * plane + at] = c + rate * (here[north] + here[south] + here[west] + here[east] + u + d - 6 * c);
        d = c;
        c = u;
    }
}
