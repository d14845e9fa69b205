// Wrong: one thread too many continues.

extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i > count)
        return;

    unsigned value = in[i];
    for (int round = 0; round < ROUNDS; ++round) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    out[i] = value;
}
