// The trapezoid rule: n strips of width h, each with a straight line between the values of f at its ends.
//
//     f  |      .-----.                 x of point i:  from + i h,  i = 0 … n
//        |   .-'|     |'-.
//        |  |   |     |  |'-.           integral  ~  h * (f(x0)/2 + f(x1) + … + f(xn)/2)
//        +--+---+-----+--+---+-->
//         from               to         an inner point belongs to two strips, half to each
//
// A thread takes every point whose number is its own plus a multiple of the number of threads; the block adds up in
// a tree, and the host adds the sums of the blocks. `f` is the function of --f, compiled together with this text.

extern "C" __global__ void integrate(double from, double to, size_t n, double* sum_of_block)
{
    __shared__ double partial[BLOCK];

    const size_t thread = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * BLOCK;

    const double h = (to - from) / n;
    double sum = 0;
    for (size_t i = thread; i <= n; i += threads) {
        const double weight = i == 0 || i == n ? 0.5 : 1;
        sum += weight * f(i == n ? to : from + i * h);
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
