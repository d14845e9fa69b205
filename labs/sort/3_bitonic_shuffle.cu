// Bitonic sort with keys in registers: lanes of a warp exchange their keys with shuffles, and only warps use shared memory.
//
//     mask below 32     __shfl_xor_sync: neither memory nor a barrier       40 of the 55 steps for 1,024 keys
//     mask from 32 on   through shared memory, between two barriers         15 steps
//
// A tile has as many keys as its block has threads. Each thread holds one key and computes its own half of the exchange: the
// lower index keeps the smaller key.

#define ALL_LANES 0xffffffff

__device__ unsigned exchange(unsigned key, unsigned distance, unsigned mask)
{
    __shared__ unsigned tile[TILE];

    unsigned other;
    if (mask < 32) {
        other = __shfl_xor_sync(ALL_LANES, key, mask);
    } else {
        tile[threadIdx.x] = key;
        __syncthreads();
        other = tile[threadIdx.x ^ mask];
        __syncthreads();
    }
    return threadIdx.x & distance ? max(key, other) : min(key, other);
}

extern "C" __global__ void sort_tiles(const unsigned* in, unsigned* out, unsigned n)
{
    const unsigned i = blockIdx.x * TILE + threadIdx.x;
    unsigned key = i < n ? in[i] : 0xffffffff;

    for (unsigned run = 2; run <= TILE; run *= 2) {
        key = exchange(key, run / 2, run - 1);
        for (unsigned distance = run / 4; distance > 0; distance /= 2)
            key = exchange(key, distance, distance);
    }

    if (i < n)
        out[i] = key;
}

extern "C" __global__ void exchange_far(unsigned* keys, unsigned distance, unsigned mask, unsigned n)
{
    const unsigned thread = blockIdx.x * TILE + threadIdx.x;
    const unsigned low = 2 * thread - (thread & (distance - 1)), high = low ^ mask;

    if (high < n) {
        const unsigned a = keys[low], b = keys[high];
        keys[low] = min(a, b);
        keys[high] = max(a, b);
    }
}

extern "C" __global__ void merge_tiles(unsigned* keys, unsigned n)
{
    const unsigned i = blockIdx.x * TILE + threadIdx.x;
    unsigned key = i < n ? keys[i] : 0xffffffff;

    for (unsigned distance = TILE / 2; distance > 0; distance /= 2)
        key = exchange(key, distance, distance);

    if (i < n)
        keys[i] = key;
}
