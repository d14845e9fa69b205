// Right, but a row of 34 words meets every second bank twice.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[3 * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i + 2 * (i / stride)] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = s[i + 2 * (i / stride)];
}
