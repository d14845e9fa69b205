// Wrong: two threads read the same count, and one addition is lost.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;

    if (i < n)
        bins[keys[i]] += 1;
}
