// Strided reads of shared memory, with one unused element after every `stride` elements (padding).
//
//     rows of 32         bank  0   1   2   3          rows of 32 + 1     bank  0   1   2   3
//     row 0                    t0                                              t0
//     row 1                    t1                                              .   t1
//     row 2                    t2     32 wavefronts                            .   .   t2     one wavefront
//
// s is a table with rows of `stride` elements, and the threads read its first column. Padding makes each row one element
// longer: thread t reads s[t * (stride + 1)]. An odd distance puts the elements of a column into different banks.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i + i / stride] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = s[i + i / stride];
}
