// Wrong: a float has 24 significant bits, but these numbers have 32.

extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    unsigned value = unsigned(float(in[i] >> 1)) * 2;
    for (int round = 0; round < ROUNDS; ++round) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    out[i] = value;
}
