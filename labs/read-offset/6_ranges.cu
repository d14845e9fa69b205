// Ranges: each thread adds RANGE elements in a row, as one would share work among the threads of a CPU.
//
//     elements    |0 …  RANGE - 1 |RANGE …        |2 RANGE …      |
//     step 0       t0              t1              t2                 a warp's addresses are RANGE apart
//     step 1        t0              t1              t2
//
// A thread uses every byte of its sectors in the end, 8 floats in 8 steps. A warp uses one element of each sector in each
// step, so that it asks for every sector eight times.

extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * RANGE;

    for (size_t i = first; i < first + RANGE && i < n; ++i)
        C[i] = A[i] + B[i];
}
