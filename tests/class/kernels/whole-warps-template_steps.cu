// loses: nothing
template <unsigned LEFT>
__device__ void halve(TYPE* of_block, unsigned me)
{
    if constexpr (LEFT > 1) {
        constexpr unsigned kept = LEFT - LEFT / 2;
        if (me < LEFT / 2)
            of_block[me] += of_block[me + kept];
        __syncthreads();
        halve<kept>(of_block, me);
    }
}

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE scratch[BLOCK];
    const unsigned me = threadIdx.x;
    const size_t element = (size_t)BLOCK * blockIdx.x + me;
    TYPE mine = 0;
    if (element < n)
        mine = a[element] * b[element];
    scratch[me] = mine;
    __syncthreads();
    halve<BLOCK>(scratch, me);
    if (!me)
        *(partial + blockIdx.x) = *scratch;
}
