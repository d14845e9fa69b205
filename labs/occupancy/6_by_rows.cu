// A grid-stride loop in two dimensions: any grid computes a matrix of any size. threadIdx.x counts columns.
//
//     row 0   t0 t1 t2 … t31 | t0 t1 …        a warp has 32 consecutive values of threadIdx.x, and one of threadIdx.y
//     row 1   t0 t1 t2 … t31 | t0 t1 …        (blocks are 32 threads wide)
//
// The elements of a row are adjacent in memory. So x, which varies fastest within a warp, must count columns: then the
// warp's 32 elements are adjacent, and its load touches 4 sectors.

extern "C" __global__ void scale(const float* in, float* out, int rows, int columns, float factor)
{
    const int down = gridDim.y * blockDim.y, across = gridDim.x * blockDim.x;
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += down)
        for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < columns; column += across) {
            const size_t i = size_t(row) * columns + column;
            out[i] = factor * in[i];
        }
}
