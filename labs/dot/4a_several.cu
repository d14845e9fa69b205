// Dot product, with EACH elements a thread: each adds some products in a register before the tree begins.
//
//     elements of a block    | t0 t1 … t255 | t0 t1 … t255 | … |        EACH rows of BLOCK elements
//     thread t                 p0 +           p1 +           …          EACH - 1 additions, no barrier
//
// The tree costs the same steps for a block, whatever its threads bring. With EACH = 8, an element's share of the tree is an
// eighth, and there is an eighth of the blocks, each of which has to be started.

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
