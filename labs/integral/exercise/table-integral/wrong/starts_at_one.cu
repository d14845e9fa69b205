// Wrong: strip i uses the value of the next strip.

extern "C" __global__ void integrate(cudaTextureObject_t table, double from, double to, size_t n, double* sum_of_block)
{
    extern __shared__ double partial[];

    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * blockDim.x;

    const double h = (to - from) / n;
    double sum = 0;
    for (size_t i = thread; i < n; i += threads)
        sum += tex1Dfetch<float>(table, i + 1);

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
