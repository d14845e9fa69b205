// Wrong: 1 / 2 is an integer division and yields 0.

extern "C" __global__ void integrate(double from, double to, size_t n, double* sum_of_block)
{
    __shared__ double partial[BLOCK];

    const size_t thread = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * BLOCK;

    const double h = (to - from) / n;
    double sum = 0;
    for (size_t i = thread; i <= n; i += threads) {
        const double weight = i == 0 || i == n ? 1 / 2 : 1;
        sum += weight * f(from + i * h);
    }

    partial[threadIdx.x] = sum * h;
    __syncthreads();
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
