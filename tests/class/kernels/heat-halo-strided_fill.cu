// loses: nothing
extern "C" __global__ void heat(const float* in, float* out, int rows, int columns, float rate)
{
    __shared__ float t[TILE_Y + 2][TILE_X + 2];
    const int me = threadIdx.y * TILE_X + threadIdx.x, left = blockIdx.x * TILE_X - 1, top = blockIdx.y * TILE_Y - 1;
    for (int k = me; k < (TILE_Y + 2) * (TILE_X + 2); k += TILE_X * TILE_Y) {
        const int y = k / (TILE_X + 2), x = k % (TILE_X + 2);
        t[y][x] = in[size_t(min(max(top + y, 0), rows - 1)) * columns + min(max(left + x, 0), columns - 1)];
    }
    __syncthreads();
    const int y = threadIdx.y + 1, x = threadIdx.x + 1, r = top + y, c = left + x;
    if (r < rows && c < columns) out[size_t(r) * columns + c] = t[y][x] + rate * (t[y - 1][x] + t[y + 1][x] + t[y][x - 1] + t[y][x + 1] - 4 * t[y][x]);
}
