// Copy: the time of one read and one write of all keys. Every pass of a sort takes at least this long.
//
// Each thread moves WIDE keys, 16 bytes, in one access. Adjacent threads move adjacent bytes, so a warp reads 512 bytes in
// a row and writes 512 bytes in a row.

#define WIDE 4

extern "C" __global__ void copy(const unsigned* in, unsigned* out, unsigned n)
{
    const unsigned first = (blockIdx.x * BLOCK + threadIdx.x) * WIDE;

    if (first + WIDE <= n) {
        *(uint4*)&out[first] = *(const uint4*)&in[first];
    } else {
        for (unsigned i = first; i < n; ++i)  // the last thread, if WIDE does not divide n
            out[i] = in[i];
    }
}
