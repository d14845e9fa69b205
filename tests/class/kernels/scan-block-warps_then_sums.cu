// loses: nothing
template <unsigned STEP> __device__ unsigned inclusive(unsigned value, unsigned lane)
{
    if constexpr (STEP < 32) {
        const unsigned before = __shfl_up_sync(0xffffffff, value, STEP);
        return inclusive<STEP * 2>(lane >= STEP ? value + before : value, lane);
    }
    return value;
}

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned of_warp[32];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = i < n ? in[i] : 0;
    const unsigned sum = inclusive<1>(own, lane);
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < warp; ++w) before += of_warp[w];
    if (i < n) out[i] = before + sum - own;
    if (threadIdx.x == BLOCK - 1) of_block[blockIdx.x] = before + sum;
}
