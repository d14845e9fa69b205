// Work on a chunk: each element goes through ROUNDS rounds of the three lines below. Numbers go in, as many come out.
//
//     data     | chunk 0 | chunk 1 | chunk 2 | … |      the kernel is started for each chunk, with pointers to its first
//     block    | 256 | 256 | 25 |                       element; `count` is how many elements the chunk has
//
// While this chunk is worked on, the next is on its way to the card.

extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    unsigned value = in[i];
    for (int round = 0; round < ROUNDS; ++round) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    out[i] = value;
}
