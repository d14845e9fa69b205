// Right, but adjacent threads read elements at a distance of the whole grid.

__constant__ TYPE vector[LENGTH];

extern "C" __global__ void dot(const TYPE* a, TYPE* sum_of_block, unsigned count)
{
    __shared__ TYPE partial[BLOCK];

    const unsigned i = threadIdx.x * gridDim.x + blockIdx.x;

    partial[threadIdx.x] = i < count ? a[i] * vector[i] : 0;
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
