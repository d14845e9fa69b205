// Dot product, added up as the same tree, by threads that stand side by side.
//
//     products      p0   p1   p2   p3   p4   p5   p6   p7       8 threads, 3 steps
//     step = 1      t0        t1        t2        t3            t1 adds p3 to p2
//     step = 2      t0                  t1
//     step = 4      t0
//
// Now whole warps fall idle, and no more lanes of a warp than must. But the elements that a warp adds lie 2 step apart in
// shared memory: 2, 4, … 32 words. Words 32 apart lie in one bank, and the lanes wait for each other.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;

    __syncthreads();

    for (unsigned step = 1; step < BLOCK; step *= 2) {
        const unsigned left = 2 * step * threadIdx.x;
        if (left + step < BLOCK)
            product[left] += product[left + step];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = product[0];
}
