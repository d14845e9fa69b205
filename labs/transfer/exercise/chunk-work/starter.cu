// Work on a chunk: each element goes through ROUNDS rounds of the three lines below. There is one result per element.
//
//     data     | chunk 0 | chunk 1 | chunk 2 | … |      the host starts the kernel for each chunk, with pointers to its
//     block    | 256 | 256 | 25 |                       first element; `count` is the number of elements in the chunk
//
// While the GPU works on this chunk, the next one is being copied to it.

extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    // TODO: which element of the chunk belongs to this thread? The last block can have more threads than elements.

    unsigned value = 0;  // TODO: the element

    for (int round = 0; round < ROUNDS; ++round) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }

    // TODO: store the value.
}
