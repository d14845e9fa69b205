// The bandwidth of constant memory: every thread of a full card reads the whole array, and all threads of a warp the same
// element at a time, which is one read for 32 threads.

__constant__ unsigned values[LENGTH];

extern "C" __global__ void read(unsigned rounds, unsigned* sum_of_thread)
{
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round)
        for (unsigned i = 0; i < LENGTH; ++i)
            sum += values[(i + round) % LENGTH];
    sum_of_thread[size_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
