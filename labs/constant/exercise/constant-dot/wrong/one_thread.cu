// Right, but one thread adds everything, and the others wait.

__constant__ TYPE vector[LENGTH];

extern "C" __global__ void dot(const TYPE* a, TYPE* sum_of_block, unsigned count)
{
    __shared__ TYPE partial[BLOCK];

    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? a[i] * vector[i] : 0;
    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += partial[j];
        sum_of_block[blockIdx.x] = sum;
    }
}
