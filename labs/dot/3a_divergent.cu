// Dot product, added up as a tree: in every step, every second of the threads that still add goes on.
//
//     products      p0   p1   p2   p3   p4   p5   p6   p7       8 threads, 3 steps
//     step = 1      t0        t2        t4        t6            t0 adds p1 to p0, t2 adds p3 to p2, …
//     step = 2      t0                  t4
//     step = 4      t0
//
// The threads that add lie scattered over all warps. A warp of which one lane has something to do executes the branch
// with 31 lanes switched off: it diverges, in every step, until it has no such lane left.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;

    __syncthreads();

    for (unsigned step = 1; step < BLOCK; step *= 2) {
        if (threadIdx.x % (2 * step) == 0 && threadIdx.x + step < BLOCK)
            product[threadIdx.x] += product[threadIdx.x + step];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = product[0];
}
