// Dot product of a and b, four elements a texel, two texels a thread.
//
//     a   [ a0 a1 a2 a3 | a4 a5 a6 a7 | … ]        linear memory; a texel may have four channels, and one request of
//     b   [ b0 b1 b2 b3 | b4 b5 b6 b7 | … ]        a warp then brings 512 bytes instead of 128
//
// What is over when count is no multiple of four is read by textures of one channel. Sums go from lane to lane by
// shuffles, so that a block waits once.

__device__ float sum_of_warp(float sum)
{
    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    return sum;
}

extern "C" __global__ void dot(cudaTextureObject_t fours_of_a, cudaTextureObject_t fours_of_b, cudaTextureObject_t a,
                               cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    __shared__ float of_warp[BLOCK / 32];

    const unsigned fours = count / 4;
    float sum = 0;

#pragma unroll
    for (unsigned k = 0; k < EACH; ++k) {
        const unsigned i = (blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
        if (i < fours) {
            const float4 x = tex1Dfetch<float4>(fours_of_a, i), y = tex1Dfetch<float4>(fours_of_b, i);
            sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < count % 4) {
        const unsigned i = 4 * fours + threadIdx.x;
        sum += tex1Dfetch<float>(a, i) * tex1Dfetch<float>(b, i);
    }

    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            sum_of_block[blockIdx.x] = sum;
    }
}
