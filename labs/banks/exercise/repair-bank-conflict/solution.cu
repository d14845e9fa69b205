// A table of rows in shared memory. The threads read its first column: thread t reads s[t * stride].
//
//     rows of 32         bank  0   1   2   3          rows of 32 + 1     bank  0   1   2   3
//     row 0                    t0                                              t0
//     row 1                    t1                                              .   t1
//     row 2                    t2     32 wavefronts                            .   .   t2     one wavefront
//
// A row has `stride` elements. bank = (address / 4) % 32. Threads that need different words of the same bank take
// several wavefronts.
//
// With one unused element at the end of each row, element i is at position i + i / stride.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i + i / stride] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = s[i + i / stride];
}
