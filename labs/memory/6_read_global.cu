// The bandwidth of global memory: every thread of a full GPU reads 16 bytes at a time; adjacent threads read adjacent bytes.
//
// __ldcg() bypasses the L1. If the array is read repeatedly, a small one comes from L2, a large one from DRAM.

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
