// Fused attention: tiles of keys and values in shared memory, and online softmax. No score leaves the SM.
//
//     for each tile of TILE = 32 keys, a warp computes EACH queries:
//         score    = query * key * scale                lane j: key j of the tile
//         weight   = exp(score - largest)               largest score of the query so far, in all tiles
//         sum      = sum of the weights                 lane j: of its own keys; added up at the end
//         result   = sum of weights * values            lane d: dimensions 2 d and 2 d + 1
//
// Rows of keys have 4 floats more than DIM, so neighbouring lanes read their rows from different banks.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below
#define TILE 32
#define QUARTER (DIM / 4)  // float4 per row

extern "C" __global__ void attention(const float4* q, const float4* k, const float4* v, float2* o, int tokens, float scale)
{
    __shared__ float4 query[WARPS * EACH][QUARTER], key[TILE][QUARTER + 1], value[TILE][QUARTER];
    __shared__ float weight[WARPS * EACH][TILE];

    const int lane = threadIdx.x % 32, mine = threadIdx.x / 32 * EACH, top = blockIdx.x * WARPS * EACH;
    const size_t head = size_t(blockIdx.y) * tokens;
    for (int i = threadIdx.x; i < WARPS * EACH * QUARTER; i += WARPS * 32)
        query[i / QUARTER][i % QUARTER] = q[(head + min(top + i / QUARTER, tokens - 1)) * QUARTER + i % QUARTER];

    float largest[EACH], sum[EACH] = {};
    float2 result[EACH] = {};
    for (int i = 0; i < EACH; ++i)
        largest[i] = LOWEST;

    for (int first = 0; first < tokens; first += TILE) {
        __syncthreads();  // all warps have finished with the last tile
        for (int i = threadIdx.x; i < TILE * QUARTER; i += WARPS * 32) {
            const size_t from = (head + min(first + i / QUARTER, tokens - 1)) * QUARTER + i % QUARTER;
            key[i / QUARTER][i % QUARTER] = k[from];
            value[i / QUARTER][i % QUARTER] = v[from];
        }
        __syncthreads();

        float score[EACH] = {};
        for (int d = 0; d < QUARTER; ++d) {
            const float4 b = key[lane][d];
            for (int i = 0; i < EACH; ++i) {
                const float4 a = query[mine + i][d];
                score[i] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            }
        }
        for (int i = 0; i < EACH; ++i) {
            const float own = first + lane < tokens ? score[i] * scale : LOWEST;  // LOWEST gets the weight 0
            float next = fmaxf(largest[i], own);
            for (int distance = 16; distance > 0; distance /= 2)
                next = fmaxf(next, __shfl_xor_sync(ALL_LANES, next, distance));
            const float shrink = expf(largest[i] - next);
            weight[mine + i][lane] = expf(own - next);
            sum[i] += weight[mine + i][lane];
            result[i].x *= shrink;
            result[i].y *= shrink;
            largest[i] = next;
        }
        __syncwarp();  // the lanes read each other's weights
        for (int j = 0; j < TILE; ++j) {
            const float2 b = ((const float2*)value[j])[lane];
            for (int i = 0; i < EACH; ++i) {
                result[i].x += weight[mine + i][j] * b.x;
                result[i].y += weight[mine + i][j] * b.y;
            }
        }
    }

    for (int i = 0; i < EACH; ++i) {
        for (int distance = 16; distance > 0; distance /= 2)
            sum[i] += __shfl_xor_sync(ALL_LANES, sum[i], distance);
        if (top + mine + i < tokens)
            o[(head + top + mine + i) * 32 + lane] = {result[i].x / sum[i], result[i].y / sum[i]};
    }
}
