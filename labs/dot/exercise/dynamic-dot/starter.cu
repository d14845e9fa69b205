// Dot product through shared memory whose size the launch chooses.
//
//     memory    | x: blockDim.x elements | y: blockDim.x elements |
//
// An `extern __shared__` array has no size in the source. The launch gives it in bytes, as the third number in
// dot<<<blocks, threads, bytes>>>. There is one such array alone: two arrays are two parts of it.
//
// This version was written for blocks of 64 threads. In a larger block, x runs into y, and y past the end.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[64], y[64];  // TODO: one array instead, `extern __shared__`, and two pointers into it.

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
