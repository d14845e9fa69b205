// Dot product of a and b, both in global memory: what the textures are compared with.
//
//     a   [ a0 | a1 | a2 | … ]        thread i multiplies a[i] by b[i],
//     b   [ b0 | b1 | b2 | … ]        the block adds up its products in a tree, the host adds the blocks' sums

extern "C" __global__ void dot(const float* a, const float* b, float* sum_of_block, unsigned count)
{
    __shared__ float partial[BLOCK];

    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? a[i] * b[i] : 0;
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}
