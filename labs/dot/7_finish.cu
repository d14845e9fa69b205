// Finish: one block adds the partial sums of all blocks (--finish kernel). A kernel that starts after another one
// sees everything that the other one wrote, so no barrier between blocks is needed.

extern "C" __global__ void finish(const TYPE* partial, TYPE* total, unsigned count)
{
    __shared__ TYPE sums[FINISH_BLOCK];

    TYPE sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += FINISH_BLOCK)
        sum += partial[i];
    sums[threadIdx.x] = sum;

    __syncthreads();

    for (unsigned half = FINISH_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        *total = sums[0];
}
