// The rectangle rule with eight values of f at a time.
//
//     one by one       f(x0) -> + -> f(x1) -> + -> f(x2) -> + …      each addition waits for the one before,
//                                                                    and f is a chain of its own
//     eight at a time  f(x0)  f(x1)  f(x2)  …  f(x7)                 eight chains, of which one can always go on
//                        +      +      +         +                   eight sums, added up at the end
//
// What a value costs beside f is an addition and a multiply-add: the number of a rectangle is counted as a double, so
// that no integer has to be turned into one. Eight chains need registers: two blocks a multiprocessor leave a thread 128.

#define AT_A_TIME 8

// All of them are computed, so that none waits for a branch; the last round adds no more than there are.
__device__ void add_values(double (&sums)[AT_A_TIME], double x, double step, int count)
{
#pragma unroll
    for (int k = 0; k < AT_A_TIME; ++k) {
        const double value = f(x + k * step);
        sums[k] += k < count ? value : 0;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 2)
integrate(double from, double to, size_t n, double* sum_of_block)
{
    __shared__ double partial[BLOCK];

    const double threads = double(gridDim.x) * BLOCK;
    const double h = (to - from) / n;
    const double step = threads * h;

    double middle = double(blockIdx.x) * BLOCK + threadIdx.x + 0.5;
    double sums[AT_A_TIME] = {};
    for (; middle + (AT_A_TIME - 1) * threads < n; middle += AT_A_TIME * threads)
        add_values(sums, from + middle * h, step, AT_A_TIME);
    if (middle < n)
        add_values(sums, from + middle * h, step, int(ceil((n - middle) / threads)));

    double sum = 0;
    for (int k = 0; k < AT_A_TIME; ++k)
        sum += sums[k];

    partial[threadIdx.x] = sum * h;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
