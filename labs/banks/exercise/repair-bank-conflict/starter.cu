// A table of rows in shared memory. The threads read its first column: thread t reads s[t * stride].
//
//     rows of 32         bank  0   1   2   3          rows of 32 + 1     bank  0   1   2   3
//     row 0                    t0                                              t0
//     row 1                    t1                                              .   t1
//     row 2                    t2     32 wavefronts                            .   .   t2     one wavefront
//
// A row has `stride` elements. bank = (address / 4) % 32. Threads that need different words of the same bank take
// several wavefronts.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    // TODO: make room for one unused element at the end of each row. The shortest rows have 1 element.
    __shared__ TYPE s[COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i] = in[i];  // TODO: where is element i if each row is one element longer?

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = s[i];  // TODO: and here?
}
