// Dot product, through shared memory: all threads copy the block's part into two shared arrays, one adds it up.
//
//     a, b (global)    | t0 t1 t2 … | BLOCK elements | … |
//                        |  |  |
//     x, y (shared)    | t0 t1 t2 … |     -> thread 0 ->  partial[block]
//
// Now neighbouring threads read neighbouring elements from global memory. __shared__ arrays belong to the block: what
// one thread writes there, the others can read after the barrier.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[BLOCK], y[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}
