// Dot product of a and b with both vectors in CUDA arrays.
//
//     array    |  0  |  2  |  4  |  6  | …          texel i covers the interval from i to i + 1,
//              0     1     2     3     4            its centre is at i + 0.5
//
// Texels are read at their centres. More than 131,072 texels are stored in ROWS rows of WIDTH.

__device__ float texel(cudaTextureObject_t array, unsigned i)
{
#if ROWS == 1
    return 0;  // TODO: tex1D<float>(array, x) returns the texel at coordinate x. Read the centre of texel i.
#else
    return 0;  // TODO: tex2D<float>(array, x, y): which column and which row does texel i have?
#endif
}

extern "C" __global__ void dot(cudaTextureObject_t a, cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    __shared__ float partial[BLOCK];

    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = 0;  // TODO: the product of texel i of a and of b, if there is one.
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
