// Through shared memory: a block reads whole sectors into it, and takes the offset there, where it costs nothing.
//
//     A           |0              |8              |16             |24             |32             |
//     read         t0 … t7         t8 … t15        t16 … t23       t24 … t31       t0 …              whole sectors
//     a (shared)   . . . [0] [1] [2] …                                                               shift = 3
//
// The block begins to read where the sector of its first element begins. It reads up to SECTOR - 1 elements more than
// it has threads, so that some threads read twice.

#define SECTOR (32 / sizeof(TYPE))  // elements in a sector

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    __shared__ TYPE a[BLOCK + SECTOR - 1], b[BLOCK + SECTOR - 1];

    const size_t first = size_t(blockIdx.x) * BLOCK + offset;
    const size_t start = first / SECTOR * SECTOR;
    const unsigned shift = unsigned(first - start);

    for (unsigned j = threadIdx.x; j < BLOCK + shift && start + j < n; j += BLOCK) {
        a[j] = A[start + j];
        b[j] = B[start + j];
    }

    __syncthreads();

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i + offset < n)
        C[i] = a[threadIdx.x + shift] + b[threadIdx.x + shift];
}
