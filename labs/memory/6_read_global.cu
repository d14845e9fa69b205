// The bandwidth of global memory: every thread of a full card reads 16 bytes at a time, neighbours next to each other.
//
// __ldcg() reads past the L1: read again and again, a small array comes from the L2, a large one from the memory chips.

extern "C" __global__ void read(const uint4* values, size_t chunks, unsigned rounds, unsigned* sum_of_thread)
{
    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * blockDim.x;

    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        #pragma unroll 8
        for (size_t chunk = thread; chunk < chunks; chunk += threads) {
            const uint4 here = __ldcg(&values[chunk]);
            sum += here.x + here.y + here.z + here.w;
        }
    }
    sum_of_thread[thread] = sum;
}
