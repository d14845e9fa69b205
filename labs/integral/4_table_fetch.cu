// The rectangle rule on a table of f instead of f: one value a strip, in linear memory behind a texture.
//
//     table   [ f0 | f1 | f2 | f3 | … ]        f in the middle of strip i: tex1Dfetch(table, i)
//
// The table holds floats: no card fetches doubles from a texture. What f cost is now a fetch, and its last 29 bits.

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
