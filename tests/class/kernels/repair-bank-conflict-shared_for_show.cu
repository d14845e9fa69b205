// loses: through shared memory
// What comes out was read from global memory; what is read from shared memory is thrown away.
extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ volatile TYPE s[COUNT];
    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    (void)s[threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x * stride % COUNT];
}
