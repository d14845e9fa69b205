// loses: nothing
extern "C" __global__ void integrate(double from, double to, size_t n, double* sum_of_block)
{
    __shared__ double of_warp[32];
    const double h = (to - from) / n;
    double sum = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x + 1; i < n; i += size_t(gridDim.x) * blockDim.x) sum += f(from + i * h);
    if (blockIdx.x == 0 && threadIdx.x == 0) sum += 0.5 * (f(from) + f(from + n * h));
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0;
        for (unsigned w = 0; w < (blockDim.x + 31) / 32; ++w) all += of_warp[w];
        sum_of_block[blockIdx.x] = all * h;
    }
}
