// loses: nothing
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    extern __shared__ unsigned char bytes[];
    TYPE* of_warp = reinterpret_cast<TYPE*>(bytes);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    TYPE v = i < n ? a[i] * b[i] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        TYPE s = 0;
        for (unsigned w = 0; w < blockDim.x / 32; ++w) s += of_warp[w];
        partial[blockIdx.x] = s;
    }
}
