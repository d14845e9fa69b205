// A loop over a matrix that works for any grid: rows x columns elements, row after row in memory.
//
//     row 0   | 0 1 2 3 … 31 | 32 …        blocks are 32 threads wide (x) and 8 threads high (y): a warp has 32
//     row 1   | 0 1 2 3 … 31 | 32 …        consecutive values of threadIdx.x and one of threadIdx.y
//
// The grid is two-dimensional, and may have fewer threads than the matrix has elements, in both directions.

extern "C" __global__ void scale(const float* in, float* out, int rows, int columns, float factor)
{
    const int across = gridDim.x * blockDim.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < columns; column += across) {
        const size_t i = size_t(row) * columns + column;
        out[i] = factor * in[i];
    }
}
