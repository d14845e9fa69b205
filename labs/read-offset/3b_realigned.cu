// Realigned in registers: reads and writes 16 bytes a thread, aligned, and takes the offset from lane to lane.
//
//     A           |0              |4              |8              |12             |     offset 3, chunks of 4 floats
//     reads        t0              t1              t2              t3                   whole chunks, added as they lie
//     has          s0 s1 s2 s3     s4 s5 s6 s7     …
//     writes                s3     s4 s5 s6                                             t0: the rest is the next lane's
//
// Both arrays have the same offset. So a thread first adds what it reads, and shifts the sums alone. A chunk of C takes
// the end of a lane's chunk of sums, and the beginning of the next lane's, which comes by shuffles. The last lane of a
// warp has no next one: it reads a chunk more.

struct alignas(16) Chunk { TYPE element[WIDE]; };

// The sums of the chunk that begins at k, a multiple of WIDE; 0 beyond n.
__device__ Chunk sums_at(const TYPE* A, const TYPE* B, size_t n, size_t k)
{
    Chunk sums = {};
    if (k + WIDE <= n) {
        const Chunk a = *(const Chunk*)&A[k], b = *(const Chunk*)&B[k];
        for (unsigned i = 0; i < WIDE; ++i)
            sums.element[i] = a.element[i] + b.element[i];
    } else {
        for (unsigned i = 0; i < WIDE; ++i)
            if (k + i < n)
                sums.element[i] = A[k + i] + B[k + i];
    }
    return sums;
}

__device__ Chunk of_next_lane(Chunk own)
{
    Chunk next;
    for (unsigned i = 0; i < WIDE; ++i)
        next.element[i] = __shfl_down_sync(0xffffffff, own.element[i], 1);
    return next;
}

// WIDE elements of own and next, from element `shift` on. By steps that are powers of two, so that every index of an
// array is known to the compiler, and the array stays in registers.
__device__ Chunk shifted(Chunk own, Chunk next, unsigned shift)
{
    TYPE both[2 * WIDE];
    for (unsigned i = 0; i < WIDE; ++i) {
        both[i] = own.element[i];
        both[WIDE + i] = next.element[i];
    }
    for (unsigned step = WIDE / 2; step > 0; step /= 2)
        if (shift & step)
            for (unsigned i = 0; i + step < 2 * WIDE; ++i)
                both[i] = both[i + step];

    Chunk chunk;
    for (unsigned i = 0; i < WIDE; ++i)
        chunk.element[i] = both[i];
    return chunk;
}

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * WIDE;
    const size_t start = offset / WIDE * WIDE;
    const unsigned shift = unsigned(offset - start);

    const Chunk own = sums_at(A, B, n, first + start);
    Chunk next = of_next_lane(own);
    if (threadIdx.x % 32 == 31 && shift > 0)
        next = sums_at(A, B, n, first + start + WIDE);

    const Chunk c = shifted(own, next, shift);
    if (first + offset + WIDE <= n) {
        *(Chunk*)&C[first] = c;
    } else {
        for (unsigned i = 0; i < WIDE; ++i)
            if (first + i + offset < n)
                C[first + i] = c.element[i];
    }
}
