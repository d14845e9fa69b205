// The rectangle rule on a table of f: one value per strip, read from linear memory through a texture.
//
//     table   [ f0 | f1 | f2 | f3 | … ]        f at the middle of strip i: tex1Dfetch<float>(table, i)
//
// A thread adds the strips with its own number plus multiples of the number of threads. The block adds in a tree,
// and the host adds the sums of the blocks. The table holds floats; add them in a double.

extern "C" __global__ void integrate(cudaTextureObject_t table, double from, double to, size_t n, double* sum_of_block)
{
    extern __shared__ double partial[];

    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * blockDim.x;

    const double h = (to - from) / n;
    double sum = 0;
    for (size_t i = thread; i < n; i += threads)
        sum += tex1Dfetch<float>(table, i);

    partial[threadIdx.x] = sum * h;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
