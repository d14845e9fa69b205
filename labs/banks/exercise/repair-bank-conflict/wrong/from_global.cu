// Right, but it reads global memory, in strides, and not the table.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[i + i / stride] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x, i = t * stride % COUNT;
    out[blockIdx.x * blockDim.x + t] = in[i];
}
