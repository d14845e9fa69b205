// Wrong: compares keys at the same index of both runs.

// EACH = 4 keys per thread: one store of 16 bytes
#define PART (BLOCK * EACH)

struct Run {
    const unsigned* keys;
    unsigned count;
};

__device__ unsigned count_of_a(Run a, Run b, unsigned count)
{
    unsigned low = count > b.count ? count - b.count : 0, high = min(count, a.count);
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (a.keys[middle] <= b.keys[min(middle, b.count - 1)])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

extern "C" __global__ void merge_runs(const unsigned* from, unsigned* to, unsigned length, unsigned n)
{
    __shared__ unsigned keys[PART], path[2];  // path: the keys of a before the block's part, and before its end

    const unsigned first = blockIdx.x * PART, pair = first & ~(2 * length - 1), in_a = min(length, n - pair);
    const Run a = {from + pair, in_a}, b = {from + pair + in_a, min(length, n - pair - in_a)};

    const unsigned begin = first - pair, end = min(begin + PART, a.count + b.count);
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)  // two warps search at the same time
        path[threadIdx.x / 32] = count_of_a(a, b, threadIdx.x == 0 ? begin : end);

    __syncthreads();

    const unsigned a_begin = path[0], b_begin = begin - a_begin, of_a = path[1] - a_begin, count = end - begin;
    for (unsigned i = threadIdx.x; i < count; i += BLOCK)
        keys[i] = i < of_a ? a.keys[a_begin + i] : b.keys[b_begin + i - of_a];

    __syncthreads();

    const Run own_a = {keys, of_a}, own_b = {keys + of_a, count - of_a};
    const unsigned own = min(threadIdx.x * EACH, count);
    unsigned i = count_of_a(own_a, own_b, own), j = own - i, merged[EACH];
    for (unsigned k = 0; k < EACH && own + k < count; ++k) {
        const bool takes_a = j == own_b.count || (i < own_a.count && own_a.keys[i] <= own_b.keys[j]);
        merged[k] = takes_a ? own_a.keys[i++] : own_b.keys[j++];
    }

    if (own + EACH <= count) {
        *(uint4*)&to[first + own] = {merged[0], merged[1], merged[2], merged[3]};
    } else {
        for (unsigned k = 0; k < EACH && own + k < count; ++k)
            to[first + own + k] = merged[k];
    }
}
