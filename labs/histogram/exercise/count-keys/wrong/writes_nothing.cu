// Wrong: it counts nothing.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;

    if (i < n && n == 0)
        atomicAdd(&bins[keys[i]], 1u);
}
