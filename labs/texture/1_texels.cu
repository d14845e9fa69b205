// Reads a CUDA array back, a texel a thread.
//
//     array    |  0  |  2  |  4  |  6  | …          texel i is the stretch from i to i + 1,
//              0     1     2     3     4            its centre is at i + 0.5
//
// A kernel has no pointer into a CUDA array: the array lies in memory as suits the card, not in the order of its
// texels. A texture object knows the way. The kernel gets the object, and asks it for the value at a place.
//
// A one-dimensional array holds at most 131,072 texels. More lie in rows of WIDTH, in a two-dimensional one.

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
    if (i < count)
        out[i] = texel(array, i);
}
