// Scaled norm, in two passes: find the largest element, then add up squares of elements that are scaled by it.
//
//     |x| = m * sqrt((x[0]/m)^2 + (x[1]/m)^2 + … )      m: a power of two near the largest |x[i]|
//
// The scaled elements are at most 4, and the largest is at least 1: no square overflows, and one that underflows is
// far too small to count beside the largest. Multiplying by a power of two changes the exponent alone, and rounds
// nothing. The price: x is read twice, and the second pass waits until the host knows m.

extern "C" __global__ void largest(const TYPE* x, TYPE* partial, size_t n)
{
    __shared__ TYPE most[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    most[threadIdx.x] = i < n ? fabs(x[i]) : 0;

    __syncthreads();

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left)
            most[threadIdx.x] = fmax(most[threadIdx.x], most[threadIdx.x + half]);
        __syncthreads();
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = most[0];
}

extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n, TYPE factor)  // factor: 1 / m
{
    __shared__ TYPE sum[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const TYPE value = i < n ? x[i] * factor : 0;
    sum[threadIdx.x] = value * value;

    __syncthreads();

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum[0];
}
