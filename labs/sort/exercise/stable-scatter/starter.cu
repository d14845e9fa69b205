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
// A pass must be stable, so atomics must not give out the places.
//
// 5_digits.cu, which precedes this file, contains the kernels for the counts, and clear_counts, load_keys, digit_of and
// rank_in_warp. places[digit * gridDim.x + block] is the place of the block's first key with this digit.

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

    // TODO: find the place of each key, and write the key there if its place is below n.
}
