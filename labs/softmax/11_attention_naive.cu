// Attention in three kernels: the scores of all pairs, the softmax of each row of scores, the weighted sum of the values.
//
//     s[i][j] = scale * (q[i][0] * k[j][0] + … + q[i][DIM - 1] * k[j][DIM - 1])     tokens x tokens scores per head
//     p[i]    = softmax(s[i])                                                       in place
//     o[i]    = p[i][0] * v[0] + … + p[i][tokens - 1] * v[tokens - 1]
//
// q, k, v and o have tokens x DIM elements per head, but the scores have tokens x tokens: the first kernel writes them, the
// second reads and writes them, and the third reads them. blockIdx.z is the head. The second kernel is that of
// 3_softmax_warp.cu.

#define LOWEST -3.402823466e38f  // no float is below

extern "C" __global__ void scores(const float* q, const float* k, float* s, int tokens, float scale)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= tokens || j >= tokens)
        return;
    const size_t head = size_t(blockIdx.z) * tokens;

    float sum = 0;
    for (int d = 0; d < DIM; ++d)
        sum += q[(head + i) * DIM + d] * k[(head + j) * DIM + d];
    s[(head + i) * tokens + j] = sum * scale;
}

extern "C" __global__ void softmax(float* s, int rows, int columns)
{
    const int lane = threadIdx.x % 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    float* x = s + size_t(row) * columns;

    float largest = LOWEST;
    for (int c = lane; c < columns; c += 32)
        largest = fmaxf(largest, x[c]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));

    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += expf(x[c] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);

    for (int c = lane; c < columns; c += 32)
        x[c] = expf(x[c] - largest) / sum;
}

extern "C" __global__ void product(const float* s, const float* v, float* o, int tokens)
{
    const int d = threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= tokens)
        return;
    const size_t head = size_t(blockIdx.z) * tokens;

    float sum = 0;
    for (int j = 0; j < tokens; ++j)
        sum += s[(head + i) * tokens + j] * v[(head + j) * DIM + d];
    o[(head + i) * DIM + d] = sum;
}
