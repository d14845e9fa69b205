// Some work per element; ROUNDS determines its duration. This lab is about the copies to the GPU and back, not
// about the kernel. The kernel takes a range of elements, so it can process one part of the data while the next
// part is still being copied.

extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    unsigned value = in[i];
    for (int round = 0; round < ROUNDS; ++round) {  // xorshift: every bit comes to depend on many others
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    out[i] = value;
}
