// Dot product through shared memory, with blocks that leave each other room.
//
//     multiprocessor  | block | block | block | …      228 KB of shared memory on an H200, 64 warps at most
//
// A multiprocessor holds several blocks at once: while the warps of one wait for memory, those of another work. How many
// fit is the occupancy. Registers and shared memory are handed out when a block begins, whether it uses them or not.
//
// This version gives a right result. Its arrays have room for the largest block there is, 1,024 threads, whatever BLOCK is.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[1024], y[1024];  // TODO: take no more than the block needs.

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
