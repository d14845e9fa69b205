// Bitonic sort of a tile in shared memory. In each step a thread compares two keys: those at `low` and at `low ^ mask`.
//
//     runs of 2     runs of 4                 runs of 8
//     mask 1        mask 3       mask 1       mask 7               mask 2           mask 1
//     0-1  2-3      0-3  1-2     0-1  2-3     0-7  1-6  2-5  3-4   0-2  1-3  4-6 …  0-1  2-3 …
//
//     distance 1    distance 2   distance 1   distance 4           distance 2       distance 1
//
// The smaller key always goes to the smaller index. exchange_far and merge_tiles are complete. They perform the steps of
// runs that are longer than a tile.

#define TILE (2 * BLOCK)

// The smaller index of the pair that thread number `thread` compares, in a step with this distance.
__device__ unsigned lower_of_pair(unsigned thread, unsigned distance)
{
    return 0;  // TODO: distance 1: 0, 2, 4, 6, …   distance 2: 0, 1, 4, 5, 8, …   distance 4: 0, 1, 2, 3, 8, …
}

__device__ void load_tile(unsigned* tile, const unsigned* keys, unsigned n)
{
    const unsigned first = blockIdx.x * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += BLOCK)
        tile[i] = first + i < n ? keys[first + i] : 0xffffffff;  // the largest key, which stays at the end

    __syncthreads();
}

__device__ void store_tile(const unsigned* tile, unsigned* keys, unsigned n)
{
    const unsigned first = blockIdx.x * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += BLOCK)
        if (first + i < n)
            keys[first + i] = tile[i];
}

__device__ void exchange_near(unsigned* tile, unsigned distance, unsigned mask)
{
    // TODO: compare the two keys of the thread's pair, and put each into its place.
}

extern "C" __global__ void sort_tiles(const unsigned* in, unsigned* out, unsigned n)
{
    __shared__ unsigned tile[TILE];
    load_tile(tile, in, n);

    // TODO: all steps for runs of 2, 4, 8, … TILE keys.

    store_tile(tile, out, n);
}

extern "C" __global__ void exchange_far(unsigned* keys, unsigned distance, unsigned mask, unsigned n)
{
    const unsigned low = lower_of_pair(blockIdx.x * BLOCK + threadIdx.x, distance), high = low ^ mask;

    if (high < n) {
        const unsigned a = keys[low], b = keys[high];
        keys[low] = min(a, b);
        keys[high] = max(a, b);
    }
}

extern "C" __global__ void merge_tiles(unsigned* keys, unsigned n)
{
    __shared__ unsigned tile[TILE];
    load_tile(tile, keys, n);

    for (unsigned distance = TILE / 2; distance > 0; distance /= 2)
        exchange_near(tile, distance, distance);

    store_tile(tile, keys, n);
}
