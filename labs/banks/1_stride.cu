// Reading shared memory in strides: thread t reads s[t * stride].
//
//     bank          0    1    2    3    4    5    6    7   …  31      32 banks, each 4 bytes wide
//     s (floats)    [0]  [1]  [2]  [3]  [4]  [5]  [6]  [7]  … [31]    bank = (address / 4) % 32
//                   [32] [33] …
//     stride 1      t0   t1   t2   t3   t4   t5   t6   t7   … t31     one pass
//     stride 2      t0        t1        t2        t3                  t16 to t31 come round again: two passes
//                   t16       t17       t18       t19
//
// A pass hands out one word of each bank. Threads that want different words of one bank wait for each other; those
// that want the same word get it together. Stride 0: all want one word, a broadcast.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x;
    out[blockIdx.x * blockDim.x + t] = s[t * stride % COUNT];
}
