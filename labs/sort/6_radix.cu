// LSD radix sort: sorts by the lowest digit, then by the next one, … Each pass moves every key to its place for one digit.
//
//     keys           32  11  12  31  22
//     by the ones    11  31  32  12  22       11 before 31, and 32 before 12 before 22: keys with equal digits keep their order
//     by the tens    11  12  22  31  32       so here 11 still comes before 12, and 31 before 32
//
//     place of a key  =  keys with a smaller digit
//                      + keys with this digit in the blocks before          the scan of 5_digits.cu has added these two
//                      + keys with this digit in the warps before           the loop over the warps
//                      + keys with this digit before it in its warp         rank_in_warp
//
// A pass must be stable, so atomics must not give out the places. No key is compared with another.

extern "C" __global__ void scatter(const unsigned* in, unsigned* out, const unsigned* places, unsigned shift, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX];
    clear_counts(counts);

    const unsigned warp = threadIdx.x / 32;
    unsigned keys[EACH], ranks[EACH];
    load_keys(keys, in, n);
    for (unsigned j = 0; j < EACH; ++j)
        ranks[j] = rank_in_warp(counts[warp], digit_of(keys[j], shift));

    __syncthreads();

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
