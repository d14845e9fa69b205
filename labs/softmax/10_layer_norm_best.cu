// Best layer norm, one block per row: the row stays in registers, so the second pass for the variance reads no memory.
//
//     thread      0          1          2                  BLOCK threads with WIDE neighbouring elements each,
//     row        [x x x x]  [x x x x]  [x x x x] …         EACH times
//
// This is the safe computation of 7_layer_norm.cu with one read of each element: deviations from the mean, then squares.
//
// WIDE is 4 if it divides the columns, so each chunk is aligned, and inside the row or outside; otherwise it is 1.

#define ALL_LANES 0xffffffff
#define WARPS (BLOCK / 32)

struct alignas(WIDE * sizeof(float)) Chunk { float element[WIDE]; };

__device__ float block_sum(float value, float* of_warp)  // in every thread; of_warp must not be in use
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < WARPS; ++w)
        sum += of_warp[w];
    return sum;
}

extern "C" __global__ void layer_norm(const float* in, float* out, int rows, int columns, float epsilon)
{
    __shared__ float sums[WARPS], squares_of[WARPS];

    const size_t row = size_t(blockIdx.x) * columns;
    Chunk x[EACH] = {};
    float sum = 0;
    for (int j = 0; j < EACH; ++j) {
        const int c = (j * BLOCK + threadIdx.x) * WIDE;
        if (c < columns)
            x[j] = *(const Chunk*)&in[row + c];
        for (int i = 0; i < WIDE; ++i)
            sum += x[j].element[i];
    }
    const float mean = block_sum(sum, sums) / columns;

    float squares = 0;
    for (int j = 0; j < EACH; ++j)
        for (int i = 0; i < WIDE; ++i) {
            x[j].element[i] -= mean;
            if ((j * BLOCK + threadIdx.x) * WIDE < columns)
                squares += x[j].element[i] * x[j].element[i];
        }
    const float scale = rsqrtf(block_sum(squares, squares_of) / columns + epsilon);

    for (int j = 0; j < EACH; ++j) {
        const int c = (j * BLOCK + threadIdx.x) * WIDE;
        for (int i = 0; i < WIDE; ++i)
            x[j].element[i] *= scale;
        if (c < columns)
            *(Chunk*)&out[row + c] = x[j];
    }
}
