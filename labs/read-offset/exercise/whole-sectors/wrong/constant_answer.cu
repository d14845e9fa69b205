// Wrong: it always answers 1.

#define SECTOR (32 / sizeof(TYPE))  // elements per sector

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    __shared__ TYPE a[BLOCK + SECTOR - 1], b[BLOCK + SECTOR - 1];

    const size_t first = size_t(blockIdx.x) * BLOCK + offset;  // the first element that this block needs
    const size_t start = first / SECTOR * SECTOR;              // the start of that element's sector
    const unsigned shift = unsigned(first - start);

    for (unsigned j = threadIdx.x; j < BLOCK + shift && start + j < n; j += BLOCK) {
        a[j] = A[start + j];
        b[j] = B[start + j];
    }

    __syncthreads();

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i + offset < n)
        C[i] = 1;
}
