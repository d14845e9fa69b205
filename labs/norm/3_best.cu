// Best norm: safe in a single pass. Each thread keeps three sums, for small, ordinary and big elements, and reads 16
// bytes at a time, AHEAD chunks before it needs the first.
//
//     |x[i]|     0 ....... SMALL ........................ BIG ....... infinity
//     sum        (x * GROW)^2        x^2        (x * SHRINK)^2
//     of         small               ordinary   big
//
// GROW and SHRINK are powers of two, and bring both ends into the middle of what TYPE can hold. Nobody needs to know
// the largest element before. The host puts the three sums together. (J. L. Blue, "A portable Fortran program to find
// the Euclidean norm of a vector", 1978; LAPACK's dnrm2 works so today.)

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

struct alignas(16) Chunk { TYPE element[WIDE]; };
struct Sums { TYPE small, ordinary, big; };

__device__ void add_square(Sums& sums, TYPE x)
{
    if (fabs(x) > BIG)
        sums.big += (x * SHRINK) * (x * SHRINK);
    else if (fabs(x) < SMALL)
        sums.small += (x * GROW) * (x * GROW);
    else
        sums.ordinary += x * x;
}

// Most vectors hold nothing but ordinary elements: one look at the largest and the smallest of many spares a look at each.
__device__ void add_squares(Sums& sums, const Chunk (&read)[AHEAD])
{
    TYPE largest = 0, smallest = BIG;
    for (unsigned j = 0; j < AHEAD; ++j)
        for (unsigned i = 0; i < WIDE; ++i) {
            largest = fmax(largest, fabs(read[j].element[i]));
            smallest = fmin(smallest, fabs(read[j].element[i]));
        }
    const bool all_ordinary = SMALL <= smallest && largest <= BIG;
    for (unsigned j = 0; j < AHEAD; ++j)
        for (unsigned i = 0; i < WIDE; ++i)
            if (all_ordinary)
                sums.ordinary += read[j].element[i] * read[j].element[i];
            else
                add_square(sums, read[j].element[i]);
}

__device__ Sums sums_of_thread(const TYPE* x, size_t n)
{
    const size_t chunks = n / WIDE, of_block = ROUNDS * AHEAD * BLOCK;
    const size_t end = min(chunks, (blockIdx.x + 1) * of_block);

    Sums sums = {};
    size_t chunk = blockIdx.x * of_block + threadIdx.x;

    for (; chunk + (AHEAD - 1) * BLOCK < end; chunk += AHEAD * BLOCK) {
        Chunk read[AHEAD];
        for (unsigned j = 0; j < AHEAD; ++j)
            read[j] = ((const Chunk*)x)[chunk + j * BLOCK];
        add_squares(sums, read);
    }
    for (; chunk < end; chunk += BLOCK) {  // the last chunks: fewer than AHEAD
        const Chunk read = ((const Chunk*)x)[chunk];
        for (unsigned i = 0; i < WIDE; ++i)
            add_square(sums, read.element[i]);
    }

    const size_t rest = chunks * WIDE + threadIdx.x;  // the elements after the last whole chunk
    if (blockIdx.x == 0 && rest < n)
        add_square(sums, x[rest]);
    return sums;
}

__device__ Sums sum_of_warp(Sums sums)  // in lane 0
{
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        sums.small += __shfl_down_sync(ALL_LANES, sums.small, distance);
        sums.ordinary += __shfl_down_sync(ALL_LANES, sums.ordinary, distance);
        sums.big += __shfl_down_sync(ALL_LANES, sums.big, distance);
    }
    return sums;
}

extern "C" __global__ void __launch_bounds__(BLOCK) squares(const TYPE* x, Sums* partial, size_t n)
{
    __shared__ Sums of_warp[WARPS];

    Sums sums = sum_of_warp(sums_of_thread(x, n));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sums;

    __syncthreads();

    if (threadIdx.x < 32) {
        sums = Sums{};
        if (threadIdx.x < WARPS)
            sums = of_warp[threadIdx.x];
        sums = sum_of_warp(sums);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sums;
    }
}
