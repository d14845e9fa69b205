// Histogram with atomics in global memory: every thread adds 1 to the bin of its key.
//
//     key     | 3 | 7 | 3 | 3 | 1 | …           adjacent threads read adjacent keys
//     bins    | 0 1 2 3 4 5 6 7 … |             … and update the bins that the keys select
//
// `bins[key]++` would be wrong: two threads can read the same count, and one of their increments is lost. atomicAdd
// reads, adds and writes without interruption. The L2 cache serves lanes with the same bin one after the other.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    // TODO: the index of this thread in the grid, which is the index of its key.

    // TODO: add 1 to the bin of that key, if there is such a key.
}
