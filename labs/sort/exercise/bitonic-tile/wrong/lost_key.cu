// Wrong: the second line reads the key that the first line has already replaced.

#define TILE (2 * BLOCK)

__device__ unsigned lower_of_pair(unsigned thread, unsigned distance)
{
    return 2 * thread - (thread & (distance - 1));
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
    const unsigned low = lower_of_pair(threadIdx.x, distance), high = low ^ mask;
    tile[low] = min(tile[low], tile[high]);
    tile[high] = max(tile[low], tile[high]);

    __syncthreads();
}

extern "C" __global__ void sort_tiles(const unsigned* in, unsigned* out, unsigned n)
{
    __shared__ unsigned tile[TILE];
    load_tile(tile, in, n);

    for (unsigned run = 2; run <= TILE; run *= 2) {
        exchange_near(tile, run / 2, run - 1);
        for (unsigned distance = run / 4; distance > 0; distance /= 2)
            exchange_near(tile, distance, distance);
    }

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
