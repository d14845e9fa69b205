// EACH elements per thread, without a loop over the grid: thread coarsening.
//
//     a block's elements   | 0 … 255 | 256 … 511 | 512 … 767 | …        BLOCK = 256
//     thread t             | t       | 256 + t   | 512 + t   | …        adjacent threads, adjacent elements
//
// There are EACH times fewer blocks to start, and each thread has EACH loads in flight. The loads need EACH registers
// for their results, which may leave room for fewer warps. That costs nothing while enough bytes are in flight.

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const size_t first = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;

    float x[EACH];
#pragma unroll
    for (int j = 0; j < EACH; ++j)
        x[j] = first + j * BLOCK < n ? in[first + j * BLOCK] : 0;
#pragma unroll
    for (int j = 0; j < EACH; ++j)
        if (first + j * BLOCK < n)
            out[first + j * BLOCK] = factor * x[j];
}
