// Reading shared memory in strides, with one unused element after each `stride` elements.
//
//     rows of 32         bank  0   1   2   3          rows of 32 + 1     bank  0   1   2   3
//     row 0                    t0                                              t0
//     row 1                    t1                                              .   t1
//     row 2                    t2     32 passes                                .   .   t2     one pass
//
// s is a table of rows, each `stride` elements long, and the threads read its first column. With the padding a row
// is one element longer: thread t reads s[t * (stride + 1)], and an odd distance meets every bank once.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i + i / stride] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = s[i + i / stride];
}
