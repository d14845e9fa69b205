// loses: everything
// All 32 lanes are named, and a block of fewer threads, which the exercise allows, has not got them.
extern "C" __global__ void squares(const TYPE* v, TYPE* out, size_t count)
{
    __shared__ TYPE warps[(BLOCK + 31) / 32];
    size_t where = blockIdx.x;
    where = where * BLOCK + threadIdx.x;
    TYPE s = 0;
    if (where < count) { s = v[where]; s *= s; }
    for (int mask = 16; mask > 0; mask >>= 1) s += __shfl_xor_sync(~0u, s, mask);
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : TYPE(0);
        for (int mask = 16; mask > 0; mask >>= 1) s += __shfl_xor_sync(~0u, s, mask);
        if (threadIdx.x == 0) out[blockIdx.x] = s;
    }
}
