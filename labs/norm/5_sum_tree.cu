// Sum of squares, as kernels add: each of BLOCK threads adds every BLOCK-th square, then a tree adds their sums.
//
//     thread 0     x0² + x256² + x512² + …            n / BLOCK additions in a row
//     tree         s0 + s128, … then + 64, …          log2(BLOCK) more
//
// Nobody did this to be exact. It is more exact all the same: a square goes through fewer additions.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    __shared__ TYPE sums[BLOCK];

    TYPE sum = 0;
    for (size_t i = threadIdx.x; i < n; i += BLOCK)
        sum += x[i] * x[i];
    sums[threadIdx.x] = sum;

    __syncthreads();

    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        *result = sums[0];
}
