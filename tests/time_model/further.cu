// Kernels as in courses, the third collection: docs/time-model.md states what the model lacked for them.
#include <cuda_fp16.h>

extern "C" __global__ void axpy_half2(const __half2* x, __half2* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __hfma2(x[i], __float2half2_rn(1.5f), y[i]);
}

extern "C" __global__ void butterfly(float2* data, int n, int half)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2)
        return;
    const int k = i & (half - 1), a = (i - k) * 2 + k, b = a + half;
    float s, c;
    sincosf(-3.14159265f * k / half, &s, &c);
    const float2 u = data[a], v = data[b];
    const float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    data[a] = make_float2(u.x + w.x, u.y + w.y);
    data[b] = make_float2(u.x - w.x, u.y - w.y);
}

extern "C" __global__ void compact(const float* in, float* out, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const bool keep = i < n && in[i] > 0.5f;
    const unsigned mask = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 0 && mask)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[(base + __popc(mask & ((1u << lane) - 1))) & (n - 1)] = in[i];
}

extern "C" __global__ void queens(int* found, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n * n)
        return;
    int rows[16], count = 0, level = 2;
    rows[0] = t / n;
    rows[1] = t % n;
    if (rows[0] == rows[1] || rows[0] - rows[1] == 1 || rows[1] - rows[0] == 1)
        return;
    rows[2] = -1;
    while (level >= 2) {
        ++rows[level];
        if (rows[level] >= n) {
            --level;
            continue;
        }
        bool good = true;
        for (int k = 0; k < level && good; ++k) {
            const int d = rows[level] - rows[k];
            good = d != 0 && d != level - k && d != k - level;
        }
        if (!good)
            continue;
        if (level == n - 1)
            ++count;
        else
            rows[++level] = -1;
    }
    found[t] = count;
}

extern "C" __global__ void __launch_bounds__(128) register_product(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[16][64 + 4], bs[16][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float sum[8][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += 128) {
            as[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * n + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            float x[8], y[4];
            for (int i = 0; i < 8; ++i)
                x[i] = as[k][ty * 8 + i];
            for (int j = 0; j < 4; ++j)
                y[j] = bs[k][tx + 16 * j];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 4; ++j)
            c[(blockIdx.y * 64 + ty * 8 + i) * n + blockIdx.x * 64 + tx + 16 * j] = sum[i][j];
}

extern "C" __global__ void radix_count(const unsigned* keys, int* counts, int n, int shift)
{
    __shared__ int bins[16 * 33];
    for (int i = threadIdx.x; i < 16 * 33; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[(keys[i] >> shift & 15) * 33 + (threadIdx.x & 31)], 1);
    __syncthreads();
    if (threadIdx.x < 16) {
        int sum = 0;
        for (int i = 0; i < 32; ++i)
            sum += bins[threadIdx.x * 33 + i];
        atomicAdd(&counts[threadIdx.x], sum);
    }
}

extern "C" __global__ void erf_of(const double* x, double* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = erf(x[i]) + exp(-x[i]);
}

extern "C" __global__ void log_sum(const float* x, float* y, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i] + 1;
    for (int k = 0; k < rounds; ++k)
        v = __logf(v) + 2;
    y[i] = v;
}

extern "C" __global__ void gather_rows(const float* table, const unsigned* which, float* out, int n, unsigned rows)
{
    const int row = blockIdx.x, at = which[row] % rows;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        out[row * n + k] = table[(size_t)at * n + k];
}

extern "C" __global__ void gather_words(const float* table, const unsigned* which, float* out, int n, unsigned mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[which[i] & mask] * 2;
}

extern "C" __global__ void conv3(const float* in, const float* w, float* out, int width, int height, int channels)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
    if (x >= width - 2 || y >= height - 2)
        return;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                sum += in[(c * height + y + j) * width + x + i] * w[(o * channels + c) * 9 + j * 3 + i];
    out[(o * height + y) * width + x] = fmaxf(sum, 0);
}

extern "C" __global__ void segmented_scan(const int* values, const unsigned* flags, int* out, int n)
{
    __shared__ int v[256], f[256];
    const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    v[t] = i < n ? values[i] & 7 : 0;
    f[t] = i < n ? (flags[i] & 31) == 0 : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        const int pv = t >= d && !f[t] ? v[t - d] : 0, pf = t >= d ? f[t - d] : 0;
        __syncthreads();
        v[t] += pv;
        f[t] |= pf;
        __syncthreads();
    }
    if (i < n)
        out[i] = v[t];
}

extern "C" __global__ void tree_walk(const int* left, const int* right, const float* at, const float* x, int* leaf, int n, int depth, int mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int node = 0;
    for (int k = 0; k < depth; ++k)
        node = (x[i] * (k + 1) - (int)(x[i] * (k + 1)) < at[node] ? left[node] : right[node]) & mask;
    leaf[i] = node;
}

extern "C" __global__ void big_local(const float* x, float* y, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v[64];
    for (int k = 0; k < 64; ++k)
        v[k] = x[i] + k;
    for (int r = 0; r < rounds; ++r)
        v[(i * 7 + r * 13) & 63] += v[(i * 5 + r * 3) & 63];
    float s = 0;
    for (int k = 0; k < 64; ++k)
        s += v[k];
    y[i] = s;
}

extern "C" __global__ void column_major(const double* a, double* b, int rows, int columns)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    double s = 0;
    for (int c = 0; c < columns; ++c)
        s += a[(size_t)r * columns + c];
    b[r] = s / columns;
}

extern "C" __global__ void pixels(const uchar4* in, uchar4* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uchar4 p = in[i];
    const int g = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
    out[i] = make_uchar4(g, g, g, p.w);
}

extern "C" __global__ void spring(const float4* at, const float4* speed, float4* to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 f = make_float4(0, 0, 0, 0), me = at[i];
    for (int k = -4; k <= 4; ++k) {
        const int j = i + k;
        if (k == 0 || j < 0 || j >= n)
            continue;
        const float4 p = at[j];
        const float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z, d = sqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
        const float s = (d - 1) / d;
        f.x += s * dx, f.y += s * dy, f.z += s * dz;
    }
    const float4 v = speed[i];
    to[i] = make_float4(me.x + v.x + f.x, me.y + v.y + f.y, me.z + v.z + f.z, me.w);
}

extern "C" __global__ void lu_row(float* a, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (i >= n)
        return;
    const float f = a[i * n + k] / a[k * n + k];
    for (int j = k; j < n; ++j)
        a[i * n + j] -= f * a[k * n + j];
}

extern "C" __global__ void min_of_all(const int* x, int* least, int n)
{
    int m = 0x7fffffff;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        m = min(m, x[i]);
    for (int d = 16; d; d /= 2)
        m = min(m, __shfl_down_sync(~0u, m, d));
    __shared__ int of_warp[32];
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x < 32) {
        m = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0x7fffffff;
        for (int d = 16; d; d /= 2)
            m = min(m, __shfl_down_sync(~0u, m, d));
        if (threadIdx.x == 0)
            atomicMin(least, m);
    }
}

extern "C" __global__ void strings(const unsigned char* text, int* lengths, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int length = 0;
    while (length < stride && text[i * stride + length] > 8)
        ++length;
    lengths[i] = length;
}

extern "C" __global__ void pairs(const float* x, const float* y, float* sum, int n)
{
    __shared__ float xs[128], ys[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    float s = 0;
    const float a = x[i], b = y[i];
    for (int t = 0; t < n; t += 128) {
        xs[threadIdx.x] = x[t + threadIdx.x];
        ys[threadIdx.x] = y[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k)
            s += fabsf(xs[k] - a) * fabsf(ys[k] - b);
        __syncthreads();
    }
    sum[i] = s;
}

extern "C" __global__ void crc(const unsigned* data, unsigned* out, const unsigned* table, int n, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned c = ~0u;
    for (int k = 0; k < words; ++k) {
        const unsigned w = data[k * n + i];
        for (int b = 0; b < 4; ++b)
            c = table[(c ^ (w >> (8 * b))) & 255] ^ (c >> 8);
    }
    out[i] = c;
}

extern "C" __global__ void big_shared(const float* in, float* out, int rounds)
{
    __shared__ float s[10240];
    for (int i = threadIdx.x; i < 10240; i += blockDim.x)
        s[i] = in[(blockIdx.x * 10240 + i) & 0xfffff];
    __syncthreads();
    float v = 0;
    for (int r = 0; r < rounds; ++r)
        v += s[(threadIdx.x * 33 + r * 97) % 10240];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
