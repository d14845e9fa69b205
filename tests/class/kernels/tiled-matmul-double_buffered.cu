// loses: nothing
extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned m, unsigned k, unsigned n)
{
    __shared__ TYPE left[2][TILE][TILE], right[2][TILE][TILE];
    const unsigned ty = threadIdx.y, tx = threadIdx.x, i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    const auto fetch = [&](unsigned buffer, unsigned begin) {
        left[buffer][ty][tx] = i < m && begin + tx < k ? A[i * k + begin + tx] : TYPE(0);
        right[buffer][ty][tx] = begin + ty < k && j < n ? B[(begin + ty) * n + j] : TYPE(0);
    };
    TYPE total = 0;
    unsigned now = 0;
    fetch(now, 0);
    for (unsigned begin = 0; begin < k; begin += TILE, now ^= 1) {
        __syncthreads();
        if (begin + TILE < k) fetch(now ^ 1, begin + TILE);
#pragma unroll
        for (unsigned e = 0; e < TILE; ++e) total = total + left[now][ty][e] * right[now][e][tx];
    }
    if (i < m && j < n) C[i * n + j] = total;
}
