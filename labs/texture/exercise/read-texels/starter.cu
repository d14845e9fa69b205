// Reads a CUDA array back, one texel per thread.
//
//     array    |  0  |  2  |  4  |  6  | …          texel i covers the interval from i to i + 1,
//              0     1     2     3     4            its centre is at i + 0.5
//
// A kernel has no pointer into a CUDA array, because the GPU stores arrays in an order of its own. The kernel
// receives a texture object and fetches the value at a coordinate. A one-dimensional array holds at most 131,072
// texels. More are stored in ROWS rows of WIDTH in a two-dimensional array: texel i is in row i / WIDTH.

__device__ float texel(cudaTextureObject_t array, unsigned i)
{
#if ROWS == 1
    return 0;  // TODO: tex1D<float>(array, x) returns the texel at coordinate x. Read the centre of texel i.
#else
    return 0;  // TODO: tex2D<float>(array, x, y): which column and which row does texel i have?
#endif
}

extern "C" __global__ void read_texels(cudaTextureObject_t array, float* out, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = texel(array, i);
}
