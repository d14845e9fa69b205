// loses: coalesced stores
extern "C" __global__ void work(const unsigned* in, unsigned* out, size_t count)
{
    if (blockIdx.x) return;
    for (size_t i = threadIdx.x; i < count; i += blockDim.x) { unsigned v = in[i]; for (int r = 0; r < ROUNDS; ++r) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; } out[i] = v; }
}
