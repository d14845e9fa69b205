// Gather: C[i] = A[index[i]] + B[index[i]], where index is a random order of all elements.
//
//     index      | 7312 | 12 | 90021 | 455 | …      read side by side: 4 sectors a warp
//     A          t1 … t3 …… t0 …………… t2             each lane in a sector of its own: 32 sectors a warp
//
// Nothing but another order of the data helps here: no cache holds a sector until its other elements are asked for, once
// the arrays are larger than the cache.

extern "C" __global__ void gather(const TYPE* A, const TYPE* B, TYPE* C, size_t n, const unsigned* index)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < n) {
        const size_t k = index[i];
        C[i] = A[k] + B[k];
    }
}
