// Simpson's rule: n strips, each with a parabola through the values of f at its ends and its middle.
//
//     f  |     .--o--.                  x of point i:  from + i h,  i = 0 … 2n,  h is half the width of a strip
//        |  .-'   |   '-.
//        | o      |      o-.            integral  ~  h/3 * (f(x0) + 4 f(x1) + 2 f(x2) + 4 f(x3) + … + f(x2n))
//        +-+------+------+---o-->
//        from   middle     …  to        weights: middles 4, points between two strips 2, end points 1
//
// A thread computes the points with its own number plus multiples of the number of threads. The block adds in a
// tree, and the host adds the sums of the blocks. `f` is already defined: call f(x).

extern "C" __global__ void integrate(double from, double to, size_t n, double* sum_of_block)
{
    __shared__ double partial[BLOCK];

    const size_t thread = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * BLOCK;

    // TODO: h, the distance between two points: half the width of a strip.
    // TODO: the loop over the 2n + 1 points, with their weights 1, 4, 2, 4, … 4, 1.
    double sum = 0;

    partial[threadIdx.x] = sum;  // TODO: which factor does the sum still need?
    __syncthreads();
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
