// loses: coalesced loads
extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = size_t(blockIdx.x) * blockDim.x * RANGE + threadIdx.x;
    for (unsigned j = 0; j < RANGE; ++j) {
        const size_t i = first + size_t(j) * blockDim.x;
        if (i < n) C[i] = *(volatile const TYPE*)(A + i) + *(volatile const TYPE*)(B + i);
        if (i < n) C[i] = *(volatile const TYPE*)(A + i) + *(volatile const TYPE*)(B + i);
    }
}
