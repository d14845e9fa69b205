// The bandwidth of shared memory: every thread of a full card reads 16 bytes at a time, neighbours next to each other, so
// that no two of them meet in a bank.

extern "C" __global__ void read(const uint4* values, unsigned rounds, unsigned* sum_of_thread)
{
    __shared__ uint4 tile[LENGTH / 4];
    for (unsigned i = threadIdx.x; i < LENGTH / 4; i += blockDim.x)
        tile[i] = values[i];
    __syncthreads();

    unsigned sum = 0;
    #pragma unroll 8
    for (unsigned round = 0; round < rounds; ++round) {
        const uint4 here = tile[(threadIdx.x + round) % (LENGTH / 4)];
        sum += here.x + here.y + here.z + here.w;
    }
    sum_of_thread[size_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
