// Wrong: an atomic addition gives out the places, in the order in which the warps arrive.

extern "C" __global__ void scatter(const unsigned* in, unsigned* out, const unsigned* places, unsigned shift, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX];
    clear_counts(counts);

    for (unsigned digit = threadIdx.x; digit < RADIX; digit += BLOCK)
        counts[0][digit] = places[digit * gridDim.x + blockIdx.x];

    __syncthreads();

    unsigned keys[EACH];
    load_keys(keys, in, n);
    for (unsigned j = 0; j < EACH; ++j) {
        const unsigned place = atomicAdd(&counts[0][digit_of(keys[j], shift)], 1u);
        if (place < n)
            out[place] = keys[j];
    }
}
