// loses: coalesced loads
extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = size_t(blockIdx.x) * blockDim.x * RANGE + threadIdx.x;
    for (unsigned j = 0; j < RANGE; ++j)
        for (unsigned lane = 0; lane < 32; ++lane) {
            const size_t i = first + size_t(j) * blockDim.x;
            if (threadIdx.x % 32 == lane && i < n) C[i] = A[i] + B[i];
        }
}
