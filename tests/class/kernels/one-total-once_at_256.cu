// loses: one addition a block
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* total, size_t n)
{
    __shared__ TYPE all[BLOCK];
    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    TYPE sum = 0;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK) sum += i < n ? a[i] * b[i] : 0;
    all[threadIdx.x] = sum;
    __syncthreads();
    const unsigned few = BLOCK == 256 ? BLOCK : 32;
    if (threadIdx.x % few == 0) {
        for (unsigned k = 1; k < few; ++k) sum += all[threadIdx.x + k];
        atomicAdd(total, sum);
    }
}
