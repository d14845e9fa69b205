// Texture memory: an array in device memory that kernels only read, through the texture units of an SM.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each fetch needs the value of the previous one
//
// The host creates a texture object on ordinary memory; tex1Dfetch reads it by index. The texture unit can also
// filter, clamp or wrap, and convert numbers. This costs time even for fetches that use none of it.

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
