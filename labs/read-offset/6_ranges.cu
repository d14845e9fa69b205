// Ranges: each thread adds RANGE contiguous elements, as work is usually divided among CPU threads.
//
//     elements    |0 …  RANGE - 1 |RANGE …        |2 RANGE …      |
//     step 0       t0              t1              t2                 a warp's addresses are RANGE elements apart
//     step 1        t0              t1              t2
//
// Over several steps, a thread uses every byte of its sectors: 8 floats in 8 steps. However, a warp uses one
// element of each sector per step, so it requests every sector eight times.

extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * RANGE;

    for (size_t i = first; i < first + RANGE && i < n; ++i)
        C[i] = A[i] + B[i];
}
