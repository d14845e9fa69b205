// loses: nothing
// Warps add by shuffles, the first warp adds what they found.
extern "C" __global__ void dot(const TYPE* x, const TYPE* y, TYPE* z, size_t n)
{
    __shared__ TYPE product[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = t + size_t(blockIdx.x) * BLOCK;
    TYPE v = 0;
    if (i < n) v = x[i] * y[i];
    for (int k = 1; k < 32; k *= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    if (t % 32 == 0) product[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < BLOCK / 32 ? product[t] : TYPE(0);
        for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
        if (t == 0) z[blockIdx.x] = v;
    }
}
