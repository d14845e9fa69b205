// The rectangle rule on a table of f instead of f: one value a strip, in linear memory behind a texture.
//
//     table   [ f0 | f1 | f2 | f3 | … ]        f in the middle of strip i: tex1Dfetch<float>(table, i)
//
// A thread takes every strip whose number is its own plus a multiple of the number of threads; the block adds up in a
// tree, and the host adds the sums of the blocks. The table holds floats; add them up in a double.

extern "C" __global__ void integrate(cudaTextureObject_t table, double from, double to, size_t n, double* sum_of_block)
{
    extern __shared__ double partial[];

    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * blockDim.x;

    double sum = 0;
    // TODO: add up what the table has for the strips of this thread.

    partial[threadIdx.x] = sum;  // TODO: a strip is a rectangle. How wide is it?
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
