// Wrong: one thread per block copies all texels of the block.

__device__ float texel(cudaTextureObject_t array, unsigned i)
{
#if ROWS == 1
    return tex1D<float>(array, i + 0.5f);
#else
    return tex2D<float>(array, i % WIDTH + 0.5f, i / WIDTH + 0.5f);
#endif
}

extern "C" __global__ void read_texels(cudaTextureObject_t array, float* out, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = i; threadIdx.x == 0 && k < i + blockDim.x && k < count; ++k)
        out[k] = texel(array, k);
}
