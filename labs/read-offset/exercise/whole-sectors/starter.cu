// Realigned: a block reads whole sectors into shared memory and applies the offset there, where it is free.
//
//     A           |0              |8              |16             |24             |32             |
//     read         t0 … t7         t8 … t15        t16 … t23       t24 … t31       t0 …              whole sectors
//     a (shared)   . . . [0] [1] [2] …                                                               shift = 3
//
// Memory is accessed in sectors of 32 bytes that begin at multiples of 32: SECTOR elements.

#define SECTOR (32 / sizeof(TYPE))  // elements per sector

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    // TODO: two shared arrays, a and b. The block needs BLOCK elements, and up to SECTOR - 1 elements before them.

    const size_t first = size_t(blockIdx.x) * BLOCK + offset;  // the first element that this block needs
    const size_t start = first;  // TODO: the start of that element's sector: the largest multiple of SECTOR up to first
    const unsigned shift = unsigned(first - start);

    // TODO: the threads copy the elements from start on, BLOCK + shift of them, to a and b. These are more than there are
    //       threads, so some threads copy twice. There are no elements after n - 1.

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i + offset < n)
        C[i] = A[start + shift + threadIdx.x] + B[start + shift + threadIdx.x];  // TODO: from a and b
}
