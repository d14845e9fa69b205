// Best softmax, one block per row: the row stays in registers, and each access moves 16 bytes.
//
//     thread      0          1          2                  BLOCK threads with WIDE neighbouring elements each,
//     row        [x x x x]  [x x x x]  [x x x x] …         EACH times
//
// All loads of a thread are independent, so they are in flight together. The reductions are those of 5_softmax_shared.cu.
//
// WIDE is 4 if it divides the columns, so each chunk is aligned, and inside the row or outside; otherwise it is 1. EACH is
// a constant, so the loops are unrolled and x is in registers. Elements outside the row are LOWEST: exp makes them 0.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below
#define WARPS (BLOCK / 32)

struct alignas(WIDE * sizeof(float)) Chunk { float element[WIDE]; };

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    __shared__ float largest_of[WARPS], sum_of[WARPS];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t row = size_t(blockIdx.x) * columns;

    Chunk x[EACH];
    float largest = LOWEST;
    for (int j = 0; j < EACH; ++j) {
        const int c = (j * BLOCK + threadIdx.x) * WIDE;
        for (int i = 0; i < WIDE; ++i)
            x[j].element[i] = LOWEST;
        if (c < columns)
            x[j] = *(const Chunk*)&in[row + c];
        for (int i = 0; i < WIDE; ++i)
            largest = fmaxf(largest, x[j].element[i]);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, distance));
    if (lane == 0)
        largest_of[warp] = largest;
    __syncthreads();
    for (int w = 0; w < WARPS; ++w)
        largest = fmaxf(largest, largest_of[w]);

    float sum = 0;
    for (int j = 0; j < EACH; ++j)
        for (int i = 0; i < WIDE; ++i)
            sum += x[j].element[i] = expf(x[j].element[i] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    if (lane == 0)
        sum_of[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < WARPS; ++w)
        sum += sum_of[w];

    const float scale = 1 / sum;
    for (int j = 0; j < EACH; ++j) {
        const int c = (j * BLOCK + threadIdx.x) * WIDE;
        for (int i = 0; i < WIDE; ++i)
            x[j].element[i] *= scale;
        if (c < columns)
            *(Chunk*)&out[row + c] = x[j];
    }
}
