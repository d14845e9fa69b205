// Dot product of a and b, both in linear memory behind textures.
//
//     a   [ a0 | a1 | a2 | … ]        linear memory: read by index;
//     b   [ b0 | b1 | b2 | … ]        no limit of 131,072, no rows

extern "C" __global__ void dot(cudaTextureObject_t a, cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    __shared__ float partial[BLOCK];

    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? tex1Dfetch<float>(a, i) * tex1Dfetch<float>(b, i) : 0;
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
