// Wrong: one thread moves all keys of the block.

extern "C" __global__ void scatter(const unsigned* in, unsigned* out, const unsigned* places, unsigned shift, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX];
    clear_counts(counts);

    if (threadIdx.x == 0) {
        for (unsigned digit = 0; digit < RADIX; ++digit)
            counts[0][digit] = places[digit * gridDim.x + blockIdx.x];
        for (unsigned i = blockIdx.x * TILE; i < n && i < (blockIdx.x + 1) * TILE; ++i)
            out[counts[0][digit_of(in[i], shift)]++] = in[i];
    }
}
