// loses: nothing
__device__ __noinline__ TYPE fetched(const TYPE* p, unsigned i) { return p[i]; }
__device__ unsigned place(unsigned i, unsigned stride) { return i + i / stride; }
extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];
    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x) s[place(i, stride)] = in[i];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = fetched(s, place(threadIdx.x * stride % COUNT, stride));
}
