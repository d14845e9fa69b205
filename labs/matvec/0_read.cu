// Read: the floor of the time. Whatever is computed from the matrices, each of their elements must be read once.
//
// Every thread adds up chunks of 16 bytes, WIDE elements, as far apart as the grid has threads; neighbouring threads
// read neighbouring chunks. A block leaves one sum.

#define THREADS 256  // of a block

struct alignas(WIDE * sizeof(TYPE)) Chunk { TYPE element[WIDE]; };

extern "C" __global__ void read(const TYPE* in, TYPE* sum_of_block, size_t count)
{
    __shared__ TYPE partial[THREADS];

    const size_t thread = size_t(blockIdx.x) * THREADS + threadIdx.x;
    const size_t threads = size_t(gridDim.x) * THREADS;

    TYPE sum = 0;
    #pragma unroll 8
    for (size_t chunk = thread; chunk < count / WIDE; chunk += threads) {
        const Chunk here = ((const Chunk*)in)[chunk];
        for (int i = 0; i < WIDE; ++i)
            sum += here.element[i];
    }
    for (size_t i = count / WIDE * WIDE + thread; i < count; i += threads)  // when WIDE does not divide count
        sum += in[i];

    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
