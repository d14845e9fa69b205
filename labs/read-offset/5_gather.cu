// Gather: C[i] = A[index[i]] + B[index[i]], where index is a random permutation of all elements.
//
//     index      | 7312 | 12 | 90021 | 455 | …      contiguous reads: 4 sectors per warp
//     A          t1 … t3 …… t0 …………… t2             each lane in its own sector: 32 sectors per warp
//
// Only another order of the data would help: if the arrays are larger than the cache, a sector is evicted before
// its other elements are read.

extern "C" __global__ void gather(const TYPE* A, const TYPE* B, TYPE* C, size_t n, const unsigned* index)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < n) {
        const size_t k = index[i];
        C[i] = A[k] + B[k];
    }
}
