// Kernels that keep shared memory, barriers or atomics busy.
#ifndef KIB
#define KIB 8
#endif

// Threads `stride` words apart.
extern "C" __global__ void shared_loads(const unsigned* in, unsigned* out, int stride, int rounds)
{
    __shared__ unsigned s[KIB * 256];
    for (int i = threadIdx.x; i < KIB * 256; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    unsigned at = threadIdx.x * stride, sum = 0;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int repeat = 0; repeat < 8; ++repeat)
            sum += s[(at + repeat * 64) & (KIB * 256 - 1)];
        at += 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void shared_stores(unsigned* out, int stride, int rounds)
{
    __shared__ volatile unsigned s[KIB * 256];
    unsigned at = threadIdx.x * stride;
    for (int round = 0; round < rounds; ++round) {
        s[at & (KIB * 256 - 1)] = round;
        at += 64;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void shared_vectors(const float4* in, float4* out, int rounds)
{
    __shared__ float4 s[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    float4 sum = {};
    for (int round = 0; round < rounds; ++round) {
        const float4 v = s[(threadIdx.x + round * 32) & 511];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each load's address depends on the previous load.
extern "C" __global__ void shared_chase(const unsigned* in, unsigned* out, int loads)
{
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    unsigned at = threadIdx.x;
    for (int load = 0; load < loads; ++load)
        at = (s[at] + 32) & 1023;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

extern "C" __global__ void barriers(unsigned* out, int rounds)
{
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round) {
        sum += round ^ sum << 1;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Occupancy limited by dynamic shared memory: a chain of loads from a large array.
extern "C" __global__ void few_blocks(const float* in, float* out, int n)
{
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float sum = s[threadIdx.x ^ 1];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Additions to `places` words that are 4 * apart bytes from each other.
extern "C" __global__ void adds(unsigned* words, int places, int apart, int rounds)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round)
        atomicAdd(words + (size_t)((t + round * 32) % places) * apart, t + round);
}

// The same, of floats.
extern "C" __global__ void float_adds(float* words, int places, int apart, int rounds)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round)
        atomicAdd(words + (size_t)((t + round * 32) % places) * apart, 1.5f);
}

// The old value is used, so the thread waits for it.
extern "C" __global__ void tickets(unsigned* words, unsigned* out, int places, int rounds)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = t;
    for (int round = 0; round < rounds; ++round)
        sum += atomicAdd(words + sum % places, 1u);
    out[t] = sum;
}

extern "C" __global__ void scattered_adds(unsigned* words, unsigned mask, int rounds)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    for (int round = 0; round < rounds; ++round) {
        x = x * 1664525u + 1013904223u;
        atomicAdd(words + (x >> 4 & mask), 1u);
    }
}

extern "C" __global__ void compare_and_swaps(unsigned* words, int places, int rounds)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* word = words + t % places;
    unsigned seen = *word;
    for (int round = 0; round < rounds; ++round)
        seen = atomicCAS(word, seen, seen + 1);
}

extern "C" __global__ void shared_adds(unsigned* out, int places, int rounds)
{
    __shared__ unsigned s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    unsigned at = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        atomicAdd(s + at % places, at);
        at += 7;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void shared_float_adds(float* out, int places, int rounds)
{
    __shared__ float s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    unsigned at = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        atomicAdd(s + at % places, 1.0f);
        at += 7;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
