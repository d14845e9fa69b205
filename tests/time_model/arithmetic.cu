// Kernels that keep one arithmetic unit busy. The defines are TYPE, OP (an expression of x, y, z) and CHAINS
// (independent chains per thread); `rounds` sets the duration.
#include <cuda_fp16.h>
#include <mma.h>

#ifndef TYPE
#define TYPE float
#endif
#ifndef OP
#define OP x * y + z
#endif
#ifndef CHAINS
#define CHAINS 1
#endif

extern "C" __global__ void empty() {}

extern "C" __global__ void touch(float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}

extern "C" __global__ void chains(const TYPE* in, TYPE* out, int rounds)
{
    const TYPE y = in[0], z = in[1];
    TYPE value[CHAINS];
    for (int c = 0; c < CHAINS; ++c)
        value[c] = in[(threadIdx.x + c) & 31];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int repeat = 0; repeat < 16; ++repeat)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) {
                const TYPE x = value[c];
                value[c] = OP;
            }
    }
    TYPE sum = value[0];
    for (int c = 1; c < CHAINS; ++c)
        sum = sum + value[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// float and int alternately: two units, one issue slot.
extern "C" __global__ void two_units(const float* in, float* out, int rounds)
{
    float a = in[0], b = in[1], x = in[threadIdx.x & 31];
    int i = threadIdx.x, k = __float_as_int(a) | 1;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int repeat = 0; repeat < 16; ++repeat) {
            x = x * a + b;
            i = (i ^ k) + repeat;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + i;
}

// Lanes whose numbers differ modulo WAYS take different branches.
#ifndef WAYS
#define WAYS 2
#endif
extern "C" __global__ void ways(const float* in, float* out, int rounds)
{
    const float a = in[0];
    float x = in[threadIdx.x & 31];
    const int way = threadIdx.x % WAYS;
    for (int w = 0; w < WAYS; ++w) {
        if (way == w) {
            for (int round = 0; round < rounds; ++round) {
#pragma unroll
                for (int repeat = 0; repeat < 8; ++repeat)
                    x = x * a + w;
            }
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Lanes leave the loop after different numbers of rounds.
extern "C" __global__ void uneven(const unsigned* in, float* out, int most)
{
    const int rounds = in[blockIdx.x * blockDim.x + threadIdx.x] % (unsigned)most;
    float x = threadIdx.x;
    for (int round = 0; round < rounds; ++round)
        x = x * 0.999f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void shuffles(const float* in, float* out, int rounds)
{
    float x = in[threadIdx.x & 31];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            x += __shfl_xor_sync(0xffffffffu, x, distance);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void ballots(const unsigned* in, unsigned* out, int rounds)
{
    unsigned x = in[threadIdx.x & 31];
    for (int round = 0; round < rounds; ++round)
        x = x * 3 + __popc(__ballot_sync(0xffffffffu, x & 1));
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// A warp multiplies 16x16 tiles of halves; CHAINS accumulators.
extern "C" __global__ void tensor(const __half* in, float* out, int rounds)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> sum[CHAINS];
    load_matrix_sync(a, in, 16);
    load_matrix_sync(b, in + 256, 16);
    for (int c = 0; c < CHAINS; ++c)
        fill_fragment(sum[c], 0.0f);
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int repeat = 0; repeat < 4; ++repeat)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                mma_sync(sum[c], a, b, sum[c]);
    }
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int c = 0; c < CHAINS; ++c)
        store_matrix_sync(out + (warp * CHAINS + c) * 256, sum[c], 16, mem_row_major);
}
