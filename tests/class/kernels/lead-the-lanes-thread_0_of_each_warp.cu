// loses: one addition a group
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned seen = __ballot_sync(~0u, i < n);
    if (threadIdx.x % 32 == 0) {
        unsigned last = BINS, c = 0;
        for (size_t k = i; k < i + 32 && k < n; ++k) {
            if (keys[k] == last) { ++c; continue; }
            if (c) atomicAdd(&bins[last], c);
            last = keys[k]; c = 1;
        }
        if (c && seen) atomicAdd(&bins[last], c);
    }
}
