// Reading shared memory anywhere: thread t reads s[where[t]].
//
//     a permutation    t0 -> s[17], t1 -> s[4], t2 -> s[30], …    32 words, 32 banks: one pass, in whatever order
//     random           t0 -> s[802], t1 -> s[34], t2 -> s[2], …   some banks are hit several times, some not at all
//
// What counts is which banks the 32 threads of a warp hit, not which thread hits which.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, const unsigned* where)
{
    __shared__ TYPE s[COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x;
    out[blockIdx.x * blockDim.x + t] = s[where[t]];
}
