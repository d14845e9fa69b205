// loses: nothing
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(bins + keys[i]) : "memory");
}
