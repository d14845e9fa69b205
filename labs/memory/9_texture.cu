// Texture memory: an array in the card's memory that kernels only read, through the texture units of a multiprocessor.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each fetch needs the value of the one before
//
// The host made a texture object of ordinary memory; tex1Dfetch reads it by index. It could also mix neighbours, clamp
// or wrap, and convert numbers, and takes its time for that even where nothing of it is asked for.

extern "C" __global__ void chase(cudaTextureObject_t next, unsigned start, unsigned steps, unsigned* last,
                                 long long* cycles)
{
    unsigned at = start;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = tex1Dfetch<unsigned>(next, at);
    const long long end = clock64();

    *last = at;
    *cycles = end - begin;
}
