// loses: everything
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n)
        for (unsigned turn = 0; turn < 32; ++turn)
            if (threadIdx.x % 32 == turn) *(volatile unsigned*)(bins + keys[i]) += 1;
}
