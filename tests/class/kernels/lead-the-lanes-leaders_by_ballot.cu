// loses: nothing
// A key at a time: the lowest lane that is left shows its key, and all with the same are counted by a ballot.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const bool has = i < n;
    const unsigned key = has ? keys[i] : 0, lane = threadIdx.x % 32;
    unsigned left = __ballot_sync(~0u, has);
    for (int turn = 0; turn < 32 && left; ++turn) {
        const int leader = __ffs(left) - 1;
        const unsigned shown = __shfl_sync(~0u, key, leader);
        const unsigned same = __ballot_sync(~0u, has && key == shown);
        if (lane == leader) atomicAdd(bins + key, __popc(same));
        left &= ~same;
    }
}
