// One time step of the heat equation in a volume, one cell per thread: seven loads per cell.
//
//     out = c + rate * (n + s + w + e + u + d - 6 c)        u and d are the cells above and below, in the neighbouring
//                                                           planes. Beyond the surface, the volume goes on as it ends.
//
// The volume has side x side x side cells. Neighbouring planes are side x side cells apart: too far for L1, so each cell
// comes from L2 several times.

extern "C" __global__ void heat(const float* in, float* out, int side, float rate)
{
    const int x = blockIdx.x * TILE_X + threadIdx.x;
    const int y = blockIdx.y * TILE_Y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= side || y >= side)
        return;

    const size_t plane = size_t(side) * side;
    const size_t line = z * plane + size_t(y) * side;
    const float c = in[line + x];
    const float n = in[z * plane + size_t(max(y - 1, 0)) * side + x];
    const float s = in[z * plane + size_t(min(y + 1, side - 1)) * side + x];
    const float w = in[line + max(x - 1, 0)];
    const float e = in[line + min(x + 1, side - 1)];
    const float d = in[max(z - 1, 0) * plane + size_t(y) * side + x];
    const float u = in[min(z + 1, side - 1) * plane + size_t(y) * side + x];
    out[line + x] = c + rate * (n + s + w + e + u + d - 6 * c);
}
