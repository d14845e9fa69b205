// LSD radix sort with a local sort: the block sorts its tile by the digit in shared memory, then writes runs of adjacent keys.
//
//     tile        3 1 2 1 3 1 2 3        a warp that writes it directly touches a sector for nearly each key
//     sorted      1 1 1 2 2 3 3 3        adjacent lanes write adjacent keys of a run: few sectors
//
//     place in memory  =  place in the sorted tile + `move[digit]`, the same number for all keys of a run

extern "C" __global__ void scatter(const unsigned* in, unsigned* out, const unsigned* places, unsigned shift, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX], of_digit[RADIX], move[RADIX], tile[TILE];
    clear_counts(counts);

    const unsigned warp = threadIdx.x / 32;
    unsigned keys[EACH], ranks[EACH];
    load_keys(keys, in, n);
    for (unsigned j = 0; j < EACH; ++j)
        ranks[j] = rank_in_warp(counts[warp], digit_of(keys[j], shift));

    __syncthreads();

    for (unsigned digit = threadIdx.x; digit < RADIX; digit += BLOCK) {
        unsigned sum = 0;
        for (unsigned w = 0; w < WARPS; ++w)
            sum += counts[w][digit];
        of_digit[digit] = sum;
    }

    __syncthreads();

    for (unsigned digit = threadIdx.x; digit < RADIX; digit += BLOCK) {
        unsigned place = 0;  // in the tile
        for (unsigned smaller = 0; smaller < digit; ++smaller)
            place += of_digit[smaller];
        move[digit] = places[digit * gridDim.x + blockIdx.x] - place;
        for (unsigned w = 0; w < WARPS; ++w) {
            const unsigned count = counts[w][digit];
            counts[w][digit] = place;
            place += count;
        }
    }

    __syncthreads();

    for (unsigned j = 0; j < EACH; ++j)
        tile[counts[warp][digit_of(keys[j], shift)] + ranks[j]] = keys[j];

    __syncthreads();

    for (unsigned i = threadIdx.x; i < TILE; i += BLOCK) {
        const unsigned place = i + move[digit_of(tile[i], shift)];
        if (place < n)
            out[place] = tile[i];
    }
}
