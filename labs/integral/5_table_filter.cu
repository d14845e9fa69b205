// The rectangle rule on a table of f with fewer values than strips: the texture's linear filter fills the gaps.
//
//     table   |  f0  |  f1  |  f2  | …        the value of texel j is that of f at its centre, j + 0.5
//                o======o======o               between two centres the filter mixes both neighbours,
//                   ^                          in steps of 1/256 of the way from one to the other
//                 tex1D(table, place)
//
// The table is a CUDA array. Before the first centre and behind the last one the filter has nothing to mix: f0, or the
// last value.

extern "C" __global__ void integrate(cudaTextureObject_t table, double from, double to, size_t n, double texels,
                                     double* sum_of_block)
{
    extern __shared__ double partial[];

    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * blockDim.x;

    const double h = (to - from) / n;
    double sum = 0;
    for (size_t i = thread; i < n; i += threads)
        sum += tex1D<float>(table, float((i + 0.5) * texels / n));

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
