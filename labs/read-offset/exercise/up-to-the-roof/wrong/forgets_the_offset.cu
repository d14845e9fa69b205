// Addition of two arrays, as close to the limit of the memory bandwidth as possible.
//
//     warp      lane 0      lane 1      lane 2   …
//     A         |0|1|2|3|4|5|6|7|8|9|…             a sector holds 8 floats: 32 bytes
//
// There is one addition per 12 bytes of memory traffic, so memory bandwidth limits the kernel: this is its roof. The
// used share of each sector determines how close the kernel comes to it.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i + offset < n)
        C[i] = A[i] + B[i];
}
