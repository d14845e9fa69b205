// loses: nothing
extern "C" __global__ void dot(cudaTextureObject_t a, cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    __shared__ float of_warp[32];
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = i < count ? tex1Dfetch<float>(a, i) * tex1Dfetch<float>(b, i) : 0;
    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    sum = threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0;
    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = sum;
}
