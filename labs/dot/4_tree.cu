// Dot product, added up as a tree: in every step, half of the threads add one element to another.
//
//     products      p0   p1   p2   p3   p4   p5   p6   p7       8 threads, 3 steps (256 threads: 8 steps)
//     half = 4      p0+4 p1+5 p2+6 p3+7
//     half = 2      sum  sum
//     half = 1      sum
//
// The threads that still add are neighbours, and so are the elements they add: whole warps fall idle, and no bank of
// shared memory is hit twice. A barrier follows each step, and all threads of the block must reach it.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;

    __syncthreads();

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left)
            product[threadIdx.x] += product[threadIdx.x + half];
        __syncthreads();
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = product[0];
}
