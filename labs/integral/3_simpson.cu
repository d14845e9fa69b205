// Simpson's rule: n strips, each with a parabola through the values of f at its ends and in its middle.
//
//     f  |     .--o--.                  x of point i:  from + i h,  i = 0 … 2n,  h half the width of a strip
//        |  .-'   |   '-.
//        | o      |      o-.            integral  ~  h/3 * (f(x0) + 4 f(x1) + 2 f(x2) + 4 f(x3) + … + f(x2n))
//        +-+------+------+---o-->
//        from   middle     …  to        the middles count 4, the points between two strips 2, the ends 1
//
// A thread takes every point whose number is its own plus a multiple of the number of threads; the block adds up in
// a tree, and the host adds the sums of the blocks. `f` is the function of --f, compiled together with this text.

extern "C" __global__ void integrate(double from, double to, size_t n, double* sum_of_block)
{
    __shared__ double partial[BLOCK];

    const size_t thread = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * BLOCK;

    const double h = (to - from) / (2 * n);
    double sum = 0;
    for (size_t i = thread; i <= 2 * n; i += threads) {
        const double weight = i == 0 || i == 2 * n ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * f(i == 2 * n ? to : from + i * h);
    }

    partial[threadIdx.x] = sum * (h / 3);
    __syncthreads();
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
