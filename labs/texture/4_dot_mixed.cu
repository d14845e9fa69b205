// Dot product of a and b, a in a CUDA array, b in linear memory behind a texture.
//
//     a   | a0 | a1 | a2 | … |        an array: read at the centre of a texel
//     b   [ b0 | b1 | b2 | … ]        linear memory: read by index

__device__ float texel(cudaTextureObject_t array, unsigned i)
{
#if ROWS == 1
    return tex1D<float>(array, i + 0.5f);
#else
    return tex2D<float>(array, i % WIDTH + 0.5f, i / WIDTH + 0.5f);
#endif
}

extern "C" __global__ void dot(cudaTextureObject_t a, cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    __shared__ float partial[BLOCK];

    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? texel(a, i) * tex1Dfetch<float>(b, i) : 0;
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
