// Read: the limit. A product needs each value of the matrix and its column once, whatever the order.
//
// Each thread reads chunks of 16 bytes, as far apart as the grid has threads. The combined bits are the proof that all of
// them were read.

#define WIDE 4
#define ALL_LANES 0xffffffff

extern "C" __global__ void read(const unsigned* columns, const float* values, unsigned* combined, unsigned entries)
{
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;

    unsigned bits = 0;
    for (unsigned chunk = thread; chunk < entries / WIDE; chunk += threads) {
        const uint4 c = ((const uint4*)columns)[chunk], v = ((const uint4*)values)[chunk];
        bits ^= c.x ^ c.y ^ c.z ^ c.w ^ v.x ^ v.y ^ v.z ^ v.w;
    }
    for (unsigned i = entries / WIDE * WIDE + thread; i < entries; i += threads)  // if WIDE does not divide entries
        bits ^= columns[i] ^ __float_as_uint(values[i]);

    for (unsigned step = 16; step > 0; step /= 2)
        bits ^= __shfl_xor_sync(ALL_LANES, bits, step);
    if (threadIdx.x % 32 == 0)
        combined[thread / 32] = bits;
}
