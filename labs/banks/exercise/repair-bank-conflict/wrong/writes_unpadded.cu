// Wrong: the elements are written at their positions without padding.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = s[i + i / stride];
}
