// Addition of two arrays, as near to its roof as the memory allows.
//
//     warp      lane 0      lane 1      lane 2   …
//     A         |0|1|2|3|4|5|6|7|8|9|…             a sector holds 8 floats: 32 bytes
//
// There is one addition for each 12 bytes that are moved. However fast the card computes, the kernel cannot be faster than
// the memory: that is its roof. How much of each sector is used decides how near it comes.
//
// This version gives a right result. Neighbouring threads add elements that lie far apart.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(threadIdx.x) * gridDim.x + blockIdx.x;  // TODO: which element does this thread add?
    if (i + offset < n)
        C[i] = A[i + offset] + B[i + offset];
}
