// Bitonic sort in global memory: a launch per step, and a thread per pair of keys.
//
//     runs of 2     runs of 4                 runs of 8
//     mask 1        mask 3       mask 1       mask 7               mask 2               mask 1
//     0-1  2-3      0-3  1-2     0-1  2-3     0-7  1-6  2-5  3-4   0-2  1-3  4-6  5-7   0-1  2-3  4-5  6-7
//
//     partner = own index ^ mask; the smaller key goes to the smaller index
//
// A merge makes one sorted run of two. Its first step compares mirrored keys: the first with the last, and so on. Then the
// smaller half of all keys is in the lower half of the run. The next steps do the same within the halves, the quarters, …
// The pairs do not depend on the keys, so all threads work in every step. For 2^k keys there are k (k + 1) / 2 steps.

extern "C" __global__ void compare_exchange(const unsigned* from, unsigned* to, unsigned distance, unsigned mask, unsigned n)
{
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned low = 2 * thread - (thread & (distance - 1));  // the thread's number with a 0 put in at the bit `distance`
    const unsigned high = low ^ mask;

    if (high < n) {
        const unsigned a = from[low], b = from[high];
        to[low] = min(a, b);
        to[high] = max(a, b);
    } else if (low < n) {
        to[low] = from[low];  // a key beyond the end counts as infinite, so this one stays
    }
}
