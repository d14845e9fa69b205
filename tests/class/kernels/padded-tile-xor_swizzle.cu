// loses: nothing
// No padding: element (y, x) lies at column x ^ y where the tile is a power of two, else one word further a row.
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    constexpr bool is_power = (TILE & (TILE - 1)) == 0;
    constexpr unsigned width = is_power ? TILE : TILE + 1;
    __shared__ TYPE held[TILE * width];
    const auto place = [](unsigned y, unsigned x) { return y * width + (is_power ? x ^ y : x); };
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        held[place(threadIdx.y, threadIdx.x)] = in[(size_t)y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns)
        out[(size_t)y * rows + x] = held[place(threadIdx.x, threadIdx.y)];
}
