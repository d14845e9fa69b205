// Right, but the block reads far more than it needs, from the block before.

#define SECTOR (32 / sizeof(TYPE))  // elements per sector

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    __shared__ TYPE a[2 * BLOCK + SECTOR - 1], b[2 * BLOCK + SECTOR - 1];

    const size_t first = size_t(blockIdx.x) * BLOCK + offset;  // the first element that this block needs
    const size_t start = (first < BLOCK ? 0 : first - BLOCK) / SECTOR * SECTOR;
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
