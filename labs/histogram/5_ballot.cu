// Histogram, aggregated by ballots: the same groups of lanes, found bit by bit of the key.
//
//     key            3    7    3    1        011  111  011  001
//     bit 0 set      all lanes
//     bit 1 set      lanes 0, 1, 2           lane 3 parts from them
//     bit 2 set      lane 1                  lane 1 parts from 0 and 2
//
// __ballot_sync tells every lane which lanes have a bit set. A lane keeps those that agree with it in each bit of the key: as many
// ballots as a key has bits, 8 for 256 bins. Works on every card; __match_any_sync does the same in one instruction.

#define ALL_LANES 0xffffffff

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned key = i < n ? keys[i] : BINS;

    unsigned same = __ballot_sync(ALL_LANES, i < n);
    for (unsigned bit = 1; bit < BINS; bit *= 2) {
        const unsigned set = __ballot_sync(ALL_LANES, key & bit);
        same &= key & bit ? set : ~set;
    }

    const bool leads = threadIdx.x % 32 == __ffs(same) - 1;
    if (leads && i < n)
        atomicAdd(&bins[key], __popc(same));
}
