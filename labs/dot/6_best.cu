// Best dot product: each thread adds many elements in registers, 16 bytes a load, and AHEAD loads of each array are on
// their way before the first is needed.
//
//     chunks of 16 bytes    | block 0: ROUNDS x AHEAD x BLOCK | block 1 | … | last block |
//     a round of a block    | AHEAD x BLOCK chunks: thread t has the chunks t, t + BLOCK, … |
//
// Memory answers after many hundred cycles. What keeps it busy is the number of bytes asked for at a time: here every
// thread asks for AHEAD x 16 bytes of each array, then multiplies. The sum goes through shuffles once, at the end.
//
// A block has ROUNDS of these, and no more: there are several times as many blocks as the card holds, and whenever one
// ends, on whichever multiprocessor, the next begins. With one long-lived block for each place, the slowest one would keep
// all others waiting at the end.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

struct alignas(16) Chunk { TYPE element[WIDE]; };

__device__ TYPE sum_of_warp(TYPE value)  // in lane 0
{
    for (unsigned distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

__device__ void add_products(TYPE (&sum)[WIDE], Chunk x, Chunk y)
{
    for (unsigned i = 0; i < WIDE; ++i)
        sum[i] += x.element[i] * y.element[i];
}

__device__ TYPE sum_of_thread(const TYPE* a, const TYPE* b, size_t n)
{
    const size_t chunks = n / WIDE, of_block = ROUNDS * AHEAD * BLOCK;
    const size_t end = min(chunks, (blockIdx.x + 1) * of_block);

    TYPE sum[WIDE] = {};
    size_t chunk = blockIdx.x * of_block + threadIdx.x;

    for (; chunk + (AHEAD - 1) * BLOCK < end; chunk += AHEAD * BLOCK) {
        Chunk x[AHEAD], y[AHEAD];
        for (unsigned j = 0; j < AHEAD; ++j) {
            x[j] = ((const Chunk*)a)[chunk + j * BLOCK];
            y[j] = ((const Chunk*)b)[chunk + j * BLOCK];
        }
        for (unsigned j = 0; j < AHEAD; ++j)
            add_products(sum, x[j], y[j]);
    }
    for (; chunk < end; chunk += BLOCK)  // the last chunks: fewer than AHEAD
        add_products(sum, ((const Chunk*)a)[chunk], ((const Chunk*)b)[chunk]);

    const size_t rest = chunks * WIDE + threadIdx.x;  // the elements after the last whole chunk
    if (blockIdx.x == 0 && rest < n)
        sum[0] += a[rest] * b[rest];

    for (unsigned i = 1; i < WIDE; ++i)
        sum[0] += sum[i];
    return sum[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK) dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE of_warp[WARPS];

    TYPE sum = sum_of_warp(sum_of_thread(a, b, n));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;

    __syncthreads();

    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    }
}
