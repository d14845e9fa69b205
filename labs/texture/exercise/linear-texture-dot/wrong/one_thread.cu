// Wrong: one thread per block fetches and adds all elements of the block.

extern "C" __global__ void dot(cudaTextureObject_t a, cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    float sum = 0;
    for (unsigned k = i; threadIdx.x == 0 && k < i + BLOCK && k < count; ++k)
        sum += tex1Dfetch<float>(a, k) * tex1Dfetch<float>(b, k);
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = sum;
}
