// Dot product with EACH elements per thread: each thread adds its products in a register before the tree begins.
//
//     elements of a block    | t0 t1 … t255 | t0 t1 … t255 | … |        EACH rows of BLOCK elements
//     thread t                 p0 +           p1 +           …          EACH - 1 additions, no barrier
//
// The tree takes the same steps for every block, however many elements its threads added before. With EACH = 8, an
// element pays an eighth of the tree's cost, and the grid has an eighth of the blocks to start.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    TYPE sum = 0;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK)
        sum += i < n ? a[i] * b[i] : 0;
    product[threadIdx.x] = sum;

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
