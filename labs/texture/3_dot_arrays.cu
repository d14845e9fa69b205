// Dot product of a and b, both in CUDA arrays.
//
//     a   | a0 | a1 | a2 | … |        arrays: read at the centre of a texel,
//     b   | b0 | b1 | b2 | … |        in rows of WIDTH where one row is not enough

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

    partial[threadIdx.x] = i < count ? texel(a, i) * texel(b, i) : 0;
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
