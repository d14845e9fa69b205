// loses: nothing
__device__ __forceinline__ unsigned from_lane(unsigned word, unsigned distance)
{
    unsigned got;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(got) : "r"(word), "r"(distance));
    return got;
}

template <class T>
__device__ T exchanged(T value, unsigned distance)
{
    union { T number; unsigned word[sizeof(T) / 4]; } u;
    u.number = value;
#pragma unroll
    for (unsigned w = 0; w < sizeof(T) / 4; ++w)
        u.word[w] = from_lane(u.word[w], distance);
    return u.number;
}

template <class T>
__device__ T all_of_warp(T v)
{
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance <<= 1)
        v += exchanged(v, distance);
    return v;
}

extern "C" __global__ void dot(const TYPE* __restrict__ p, const TYPE* __restrict__ q, TYPE* out, size_t length)
{
    __shared__ TYPE kept[BLOCK / 32];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t me = size_t(BLOCK) * blockIdx.x + threadIdx.x;
    TYPE v = me < length ? __ldg(p + me) * __ldg(q + me) : TYPE(0);
    v = all_of_warp(v);
    if (lane == 0) kept[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = all_of_warp(lane < BLOCK / 32 ? kept[lane] : TYPE(0));
        if (lane == 0) out[blockIdx.x] = v;
    }
}
