// Dot product, through shared memory whose size the launch chooses: otherwise the same as with two shared arrays.
//
//     memory    | x: blockDim.x elements | y: blockDim.x elements |
//
// An `extern __shared__` array has no size in the source. The launch gives it in bytes, as the third number in
// dot<<<blocks, threads, bytes>>>, and there is one such array alone: two arrays are two parts of it.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    extern __shared__ TYPE memory[];
    TYPE *x = memory, *y = memory + blockDim.x;

    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < blockDim.x; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}
