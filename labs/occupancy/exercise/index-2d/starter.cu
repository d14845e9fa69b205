// A loop over a matrix that works for any grid: rows x columns elements, row after row in memory.
//
//     row 0   | 0 1 2 3 … 31 | 32 …        blocks are 32 threads wide (x) and 8 threads high (y): a warp has 32
//     row 1   | 0 1 2 3 … 31 | 32 …        consecutive values of threadIdx.x and one of threadIdx.y
//
// The grid is two-dimensional, and may have fewer threads than the matrix has elements, in both directions.

extern "C" __global__ void scale(const float* in, float* out, int rows, int columns, float factor)
{
    // TODO: which index should count columns, so the 32 elements of a warp are adjacent in memory?
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;

    // TODO: the grid may be smaller than the matrix. Go through the rows and the columns in loops.
    if (row < rows && column < columns) {
        const size_t i = size_t(row) * columns + column;
        out[i] = factor * in[i];
    }
}
