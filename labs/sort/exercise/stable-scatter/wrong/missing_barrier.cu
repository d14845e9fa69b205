// Wrong: a warp may read the counts of another warp before they are complete.

extern "C" __global__ void scatter(const unsigned* in, unsigned* out, const unsigned* places, unsigned shift, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX];
    clear_counts(counts);

    const unsigned warp = threadIdx.x / 32;
    unsigned keys[EACH], ranks[EACH];
    load_keys(keys, in, n);
    for (unsigned j = 0; j < EACH; ++j)
        ranks[j] = rank_in_warp(counts[warp], digit_of(keys[j], shift));

    for (unsigned digit = threadIdx.x; digit < RADIX; digit += BLOCK) {
        unsigned place = places[digit * gridDim.x + blockIdx.x];
        for (unsigned w = 0; w < WARPS; ++w) {  // each warp's count becomes the place of its first key with this digit
            const unsigned count = counts[w][digit];
            counts[w][digit] = place;
            place += count;
        }
    }

    __syncthreads();

    for (unsigned j = 0; j < EACH; ++j) {
        const unsigned place = counts[warp][digit_of(keys[j], shift)] + ranks[j];
        if (place < n)
            out[place] = keys[j];
    }
}
