// Something to do with each element, for as long as ROUNDS says: numbers go in, as many come out. What matters in this
// lab is not the kernel but the way of the numbers to the card and back. It takes a range, so that it can be started on
// a part of the data while the next part is still on its way.

extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    unsigned value = in[i];
    for (int round = 0; round < ROUNDS; ++round) {  // xorshift: each bit comes to depend on many
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    out[i] = value;
}
