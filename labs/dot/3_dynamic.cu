// Dot product through shared memory whose size the launch chooses; otherwise as with two static shared arrays.
//
//     memory    | x: blockDim.x elements | y: blockDim.x elements |
//
// An `extern __shared__` array has no size in the source. The launch specifies the size in bytes, as the third parameter of
// dot<<<blocks, threads, bytes>>>. All such arrays begin at the same address, so the kernel uses two parts of one array.

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
