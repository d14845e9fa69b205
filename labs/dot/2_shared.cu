// Dot product through shared memory: all threads copy the block's elements to two shared arrays; one thread adds.
//
//     a, b (global)    | t0 t1 t2 … | BLOCK elements | … |
//                        |  |  |
//     x, y (shared)    | t0 t1 t2 … |     -> thread 0 ->  partial[block]
//
// Adjacent threads now read adjacent elements of global memory. A __shared__ array belongs to the block: after the
// barrier, all threads can read what one of them wrote.

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
