// Safe softmax, one block per row: the row stays in shared memory, so each element is read from global memory once.
//
//     global    x  ->  kept                            largest of the row
//     kept      x  ->  exp(x - largest)  ->  kept      sum of the row
//     kept      e  ->  e * (1 / sum)     ->  global
//
// A thread reads only those elements of `kept` that it has written itself, so they need no barrier. The largest element and
// the sum belong to the whole block: shuffles within each warp, then one value per warp through shared memory. The two
// reductions use two arrays, so no barrier is needed between them.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below: the largest element of no elements
#define WARPS (BLOCK / 32)

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    extern __shared__ float kept[];  // one row
    __shared__ float largest_of[WARPS], sum_of[WARPS];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* x = in + size_t(blockIdx.x) * columns;
    float* y = out + size_t(blockIdx.x) * columns;

    float largest = LOWEST;
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        kept[c] = x[c];
        largest = fmaxf(largest, kept[c]);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, distance));
    if (lane == 0)
        largest_of[warp] = largest;
    __syncthreads();
    for (int w = 0; w < WARPS; ++w)
        largest = fmaxf(largest, largest_of[w]);

    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        kept[c] = expf(kept[c] - largest);
        sum += kept[c];
    }
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    if (lane == 0)
        sum_of[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < WARPS; ++w)
        sum += sum_of[w];

    const float scale = 1 / sum;
    for (int c = threadIdx.x; c < columns; c += BLOCK)
        y[c] = kept[c] * scale;
}
