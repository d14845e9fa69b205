// Kernels that keep one level of memory busy, or wait for it. V: how many floats a thread moves at once.
#ifndef V
#define V 1
#endif
#if V == 1
typedef float Vector;
__device__ float sum_of(Vector v) { return v; }
#elif V == 2
typedef float2 Vector;
__device__ float sum_of(Vector v) { return v.x + v.y; }
#else
typedef float4 Vector;
__device__ float sum_of(Vector v) { return v.x + v.y + v.z + v.w; }
#endif

extern "C" __global__ void copy(const Vector* in, Vector* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void copy_loop(const Vector* in, Vector* out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

extern "C" __global__ void write(Vector* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Vector v = {};
    if (i < n)
        out[i] = v;
}

// Reads n vectors `times` times over all threads.
extern "C" __global__ void read(const Vector* in, float* out, int n, int times)
{
    float sum = 0;
    for (int time = 0; time < times; ++time)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            sum += sum_of(in[i]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every block reads the same n vectors `times` times.
extern "C" __global__ void read_same(const Vector* in, float* out, int n, int times)
{
    float sum = 0;
    for (int time = 0; time < times; ++time)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            sum += sum_of(in[i]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The same, bypassing L1.
extern "C" __global__ void read_l2(const Vector* in, float* out, int n, int times)
{
    float sum = 0;
    for (int time = 0; time < times; ++time)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            sum += sum_of(__ldcg(in + i));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void triad(const Vector* a, const Vector* b, Vector* c, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vector x = a[i];
    const Vector y = b[i];
#if V == 1
    x += factor * y;
#elif V == 2
    x.x += factor * y.x, x.y += factor * y.y;
#else
    x.x += factor * y.x, x.y += factor * y.y, x.z += factor * y.z, x.w += factor * y.w;
#endif
    c[i] = x;
}

extern "C" __global__ void strided_read(const float* in, float* out, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[(size_t)i * stride];
}

extern "C" __global__ void strided_write(const float* in, float* out, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[(size_t)i * stride] = in[i];
}

extern "C" __global__ void shifted(const float* in, float* out, int n, int offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + offset];
}

// Each thread sums its own row, so neighbouring threads are one row apart.
extern "C" __global__ void sum_rows(const float* in, float* out, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int column = 0; column < columns; ++column)
        sum += in[(size_t)row * columns + column];
    out[row] = sum;
}

extern "C" __global__ void sum_columns(const float* in, float* out, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float sum = 0;
    for (int row = 0; row < rows; ++row)
        sum += in[(size_t)row * columns + column];
    out[column] = sum;
}

__device__ unsigned scattered(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// `each` reads per thread at scattered positions of a table of mask + 1 elements.
extern "C" __global__ void gather(const float* table, float* out, unsigned mask, int each)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < each; ++k)
        sum += table[scattered(t * each + k) & mask];
    out[t] = sum;
}

extern "C" __global__ void scatter(const float* in, float* table, unsigned mask, int each)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[t];
    for (int k = 0; k < each; ++k)
        table[scattered(t * each + k) & mask] = x;
}

// Each load's address depends on the previous load. next[i] = i, so `step` decides the next position.
extern "C" __global__ void chase(const unsigned* next, unsigned* out, unsigned mask, unsigned step, int loads)
{
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 33u * step & mask;
    for (int load = 0; load < loads; ++load)
        at = (next[at] + step) & mask;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// One lane of a warp.
extern "C" __global__ void chase_lane(const unsigned* next, unsigned* out, unsigned mask, unsigned step, int loads)
{
    if (threadIdx.x % 32 != 0)
        return;
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 33u * step & mask;
    for (int load = 0; load < loads; ++load)
        at = (next[at] + step) & mask;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// An array that is indexed at run time is in local memory.
#ifndef LENGTH
#define LENGTH 32
#endif
extern "C" __global__ void local_array(const unsigned* in, unsigned* out, int rounds)
{
    unsigned values[LENGTH];
    for (int i = 0; i < LENGTH; ++i)
        values[i] = in[i];
    unsigned at = threadIdx.x / 32 * 5;
    for (int round = 0; round < rounds; ++round) {
        at = (at + values[at % LENGTH]) % LENGTH;
        values[at] += round;
    }
    unsigned sum = 0;
    for (int i = 0; i < LENGTH; ++i)
        sum += values[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// More live values than the registers that the launch bounds allow: ptxas spills.
#ifndef LIVE
#define LIVE 96
#endif
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float* in, float* out, int rounds)
{
    float value[LIVE];
    for (int i = 0; i < LIVE; ++i)
        value[i] = in[threadIdx.x + i];
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < LIVE; ++i)
            value[i] = value[i] * value[(i + 7) % LIVE] + 0.5f;
    float sum = 0;
    for (int i = 0; i < LIVE; ++i)
        sum += value[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Many registers per thread, few warps: reads with LIVE loads in flight.
extern "C" __global__ void many_loads(const float* in, float* out, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0;
    for (int first = t; first + (LIVE - 1) * threads < n; first += LIVE * threads) {
        float value[LIVE];
#pragma unroll
        for (int i = 0; i < LIVE; ++i)
            value[i] = in[first + i * threads];
#pragma unroll
        for (int i = 0; i < LIVE; ++i)
            sum += value[i];
    }
    out[t] = sum;
}

__constant__ float table[16384];
extern "C" __global__ void constants(const int* in, float* out, int rounds, int lanes)
{
    int at = in[0] + threadIdx.x % lanes * 8;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        sum += table[at & 2047];
        at += 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void texels(cudaTextureObject_t texture, float* out, int n, int times)
{
    float sum = 0;
    for (int time = 0; time < times; ++time)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            sum += tex1Dfetch<float>(texture, i);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void texels_2d(cudaTextureObject_t texture, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += tex2D<float>(texture, x + dx + 0.5f, y + dy + 0.5f);
    out[y * width + x] = sum;
}

extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 255 - in[i];
}

extern "C" __global__ void doubles(const double* in, double* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 2.0 + 1.0;
}
