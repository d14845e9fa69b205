// Dot product through shared memory, with blocks that leave room for other blocks.
//
//     SM  | block | block | block | …      228 KB of shared memory on an H200, at most 64 warps
//
// An SM (streaming multiprocessor) holds several blocks: while the warps of one wait for memory, those of another work.
// Occupancy says how many fit. A block gets registers and shared memory when it begins, even if it does not use them.
//
// This version computes the right result. Its arrays have room for the largest possible block, 1,024 threads.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[1024], y[1024];  // TODO: use no more memory than the block needs.

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}
