// loses: everything
extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[2 * COUNT];
    unsigned r;
    asm volatile("{ .reg .u64 p; mov.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(r) : "l"(s));
    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x) asm volatile("st.shared.u8 [%0], %1;" ::"r"(i), "r"(r & 0));
    __syncthreads();
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(r) : "r"(threadIdx.x));
}
