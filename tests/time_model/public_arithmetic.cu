// Public idioms that compute: matrix multiplications, attention, Monte Carlo, finance, number theory, simulation.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

static __device__ __forceinline__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- matrix multiplications --------------------------------------------------------------------------
// C = A B, row-major; a tile of TILE x TILE per block of 256 threads, SIDE x SIDE outputs per thread.
template <class T, int TILE, int SIDE, int DEPTH>
static __device__ void multiply_register_tiles(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int n, int depth)
{
    __shared__ T as[DEPTH][TILE], bs[DEPTH][TILE];
    const int t = threadIdx.x, tx = t % (TILE / SIDE), ty = t / (TILE / SIDE);
    const size_t row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    T sum[SIDE][SIDE] = {};
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
#pragma unroll
        for (int i = t; i < TILE * DEPTH; i += 256) {
            as[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * depth + k0 + i % DEPTH];
            bs[i / TILE][i % TILE] = b[(size_t)(k0 + i / TILE) * n + column + i % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            T x[SIDE], y[SIDE];
#pragma unroll
            for (int i = 0; i < SIDE; ++i) {
                x[i] = as[k][ty * SIDE + i];
                y[i] = bs[k][tx * SIDE + i];
            }
#pragma unroll
            for (int i = 0; i < SIDE; ++i)
#pragma unroll
                for (int j = 0; j < SIDE; ++j)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < SIDE; ++i)
#pragma unroll
        for (int j = 0; j < SIDE; ++j)
            c[(row + ty * SIDE + i) * n + column + tx * SIDE + j] = sum[i][j];
}
extern "C" __global__ void __launch_bounds__(256) sgemm_32(const float* a, const float* b, float* c, int n, int depth)
{
    multiply_register_tiles<float, 32, 2, 32>(a, b, c, n, depth);
}
extern "C" __global__ void __launch_bounds__(256) sgemm_64(const float* a, const float* b, float* c, int n, int depth)
{
    multiply_register_tiles<float, 64, 4, 16>(a, b, c, n, depth);
}
extern "C" __global__ void __launch_bounds__(256) dgemm_64(const double* a, const double* b, double* c, int n, int depth)
{
    multiply_register_tiles<double, 64, 4, 8>(a, b, c, n, depth);
}

// 128 x 128 tiles, 8 x 8 per thread, vector loads everywhere, the next tile loaded into registers meanwhile.
extern "C" __global__ void __launch_bounds__(256) sgemm_128(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int depth)
{
    __shared__ __align__(16) float as[8][128], bs[8][128];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int ar = t / 2, ak = t % 2 * 4, bk = t / 32, bc = t % 32 * 4;
    const float* pa = a + (size_t)(blockIdx.y * 128 + ar) * depth + ak;
    const float* pb = b + (size_t)bk * n + blockIdx.x * 128 + bc;
    float4 na = *(const float4*)pa, nb = *(const float4*)pb;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < depth; k0 += 8) {
        as[ak][ar] = na.x, as[ak + 1][ar] = na.y, as[ak + 2][ar] = na.z, as[ak + 3][ar] = na.w;
        *(float4*)&bs[bk][bc] = nb;
        __syncthreads();
        if (k0 + 8 < depth) {
            na = *(const float4*)(pa + k0 + 8);
            nb = *(const float4*)(pb + (size_t)(k0 + 8) * n);
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
            *(float4*)x = *(float4*)&as[k][ty * 4], *(float4*)(x + 4) = *(float4*)&as[k][64 + ty * 4];
            *(float4*)y = *(float4*)&bs[k][tx * 4], *(float4*)(y + 4) = *(float4*)&bs[k][64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float* row = c + (size_t)(blockIdx.y * 128 + i / 4 * 64 + ty * 4 + i % 4) * n + blockIdx.x * 128;
        *(float4*)(row + tx * 4) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *(float4*)(row + 64 + tx * 4) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
    }
}

// Half precision without tensor cores: two columns per thread.
extern "C" __global__ void hgemm_pairs(const __half* __restrict__ a, const __half2* __restrict__ b, __half2* __restrict__ c, int n, int depth)
{
    __shared__ __half as[16][16];
    __shared__ __half2 bs[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    __half2 sum = __float2half2_rn(0);
    for (int k0 = 0; k0 < depth; k0 += 16) {
        as[threadIdx.y][threadIdx.x] = a[(size_t)row * depth + k0 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(size_t)(k0 + threadIdx.y) * n / 2 + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            sum = __hfma2(__half2half2(as[threadIdx.y][k]), bs[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[(size_t)row * n / 2 + column] = sum;
}

// Tensor cores: a warp computes 32 x 32 straight from global memory.
extern "C" __global__ void wmma_bf16(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c, int n, int depth)
{
    const int warp = thread_of_grid() / 32, tiles = n / 32;
    const size_t row = warp / tiles * 32, column = warp % tiles * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; ++i)
        wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int k = 0; k < depth; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> x[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> y[2];
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(x[i], a + (row + 16 * i) * depth + k, depth);
            wmma::load_matrix_sync(y[i], b + (size_t)k * n + column + 16 * i, n);
        }
        for (int i = 0; i < 4; ++i)
            wmma::mma_sync(sum[i / 2][i % 2], x[i / 2], y[i % 2], sum[i / 2][i % 2]);
    }
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(c + (row + i / 2 * 16) * n + column + i % 2 * 16, sum[i / 2][i % 2], n, wmma::mem_row_major);
}

// Tensor cores with 64 x 64 tiles in shared memory; four warps of 32 x 32 each.
extern "C" __global__ void __launch_bounds__(128) wmma_half_tiles(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c, int n, int depth)
{
    __shared__ __align__(32) __half as[64][40], bs[32][72];
    const int t = threadIdx.x, wr = t / 64 * 32, wc = t / 32 % 2 * 32;
    const size_t row = blockIdx.y * 64, column = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; ++i)
        wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int k0 = 0; k0 < depth; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(uint4*)&as[i / 4][i % 4 * 8] = *(const uint4*)(a + (row + i / 4) * depth + k0 + i % 4 * 8);
            *(uint4*)&bs[i / 8][i % 8 * 8] = *(const uint4*)(b + (size_t)(k0 + i / 8) * n + column + i % 8 * 8);
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y[2];
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(x[i], &as[wr + 16 * i][k], 40);
                wmma::load_matrix_sync(y[i], &bs[k][wc + 16 * i], 72);
            }
            for (int i = 0; i < 4; ++i)
                wmma::mma_sync(sum[i / 2][i % 2], x[i / 2], y[i % 2], sum[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(c + (row + wr + i / 2 * 16) * n + column + wc + i % 2 * 16, sum[i / 2][i % 2], n, wmma::mem_row_major);
}

// y = A^T x for a row-major A: a thread owns a column of a slice of rows.
extern "C" __global__ void gemv_transposed(const float* __restrict__ a, const float* __restrict__ x, float* y, int columns, int rows)
{
    const int c = thread_of_grid(), first = blockIdx.y * rows;
    float sum = 0;
#pragma unroll 8
    for (int r = 0; r < rows; ++r)
        sum += a[(size_t)(first + r) * columns + c] * x[first + r];
    atomicAdd(y + c, sum);
}

// Cholesky factors of matrices of 32 x 32, made diagonally dominant; one block of 32 x 8 per matrix.
extern "C" __global__ void cholesky_32(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float m[32][33];
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8)
        m[y][x] = in[(size_t)blockIdx.x * 1024 + y * 32 + x] + (x == y ? 33 : 0);
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
        if (threadIdx.y == 0 && x >= k) {
            const float pivot = rsqrtf(m[k][k]);
            __syncwarp(~0u << k);
            m[x][k] *= pivot;
        }
        __syncthreads();
        for (int y = threadIdx.y; y < 32; y += 8)
            if (x > k && y >= x)
                m[y][x] -= m[y][k] * m[x][k];
        __syncthreads();
    }
    for (int y = threadIdx.y; y < 32; y += 8)
        out[(size_t)blockIdx.x * 1024 + y * 32 + x] = x <= y ? m[y][x] : 0;
}

// Solves systems of 6 equations per thread in registers (LU without pivoting), batch-interleaved.
extern "C" __global__ void solve_sixes(const double* __restrict__ matrices, const double* __restrict__ right, double* __restrict__ x, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    double a[6][6], b[6];
#pragma unroll
    for (int r = 0; r < 6; ++r) {
        b[r] = right[r * n + i];
#pragma unroll
        for (int c = 0; c < 6; ++c)
            a[r][c] = matrices[(r * 6 + c) * n + i] + (r == c ? 8 : 0);
    }
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        const double inverse = 1 / a[k][k];
#pragma unroll
        for (int r = k + 1; r < 6; ++r) {
            const double factor = a[r][k] * inverse;
            b[r] -= factor * b[k];
#pragma unroll
            for (int c = k + 1; c < 6; ++c)
                a[r][c] -= factor * a[k][c];
        }
    }
#pragma unroll
    for (int k = 5; k >= 0; --k) {
#pragma unroll
        for (int c = k + 1; c < 6; ++c)
            b[k] -= a[k][c] * b[c];
        b[k] /= a[k][k];
        x[k * n + i] = b[k];
    }
}

// ---- attention ---------------------------------------------------------------------------------------
// One query per thread, heads along grid y; keys and values are staged in shared memory; online softmax.
extern "C" __global__ void __launch_bounds__(128) attention_tiles(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out, int length)
{
    __shared__ __align__(16) float ks[32][32], vs[32][32];
    const size_t head = (size_t)blockIdx.y * length * 32;
    const int row = thread_of_grid();
    float query[32], sum[32] = {}, most = -1e30f, weight = 0;
#pragma unroll
    for (int d = 0; d < 32; d += 4)
        *(float4*)(query + d) = *(const float4*)(q + head + (size_t)row * 32 + d);
    for (int base = 0; base < length; base += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += 128) {
            ((float4*)ks)[i] = ((const float4*)(k + head + (size_t)base * 32))[i];
            ((float4*)vs)[i] = ((const float4*)(v + head + (size_t)base * 32))[i];
        }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            float score = 0;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                score += query[d] * ks[j][d];
            score *= 0.176777f;
            const float now = fmaxf(most, score), old = __expf(most - now), p = __expf(score - now);
            weight = weight * old + p;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                sum[d] = sum[d] * old + p * vs[j][d];
            most = now;
        }
    }
#pragma unroll
    for (int d = 0; d < 32; ++d)
        out[head + (size_t)row * 32 + d] = sum[d] / weight;
}

// Decoding: one query per head against a cache of halves, 64 elements per key; one block per head.
extern "C" __global__ void attention_decode(const float* __restrict__ q, const __half2* __restrict__ keys, const __half2* __restrict__ values, float* __restrict__ out, int length)
{
    extern __shared__ float scores[];
    __shared__ float part[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t head = (size_t)blockIdx.x * length * 32;
    const float2 query = ((const float2*)q)[blockIdx.x * 32 + lane];
    for (int j = warp; j < length; j += 8) {
        const float2 key = __half22float2(keys[head + (size_t)j * 32 + lane]);
        float score = query.x * key.x + query.y * key.y;
        for (int d = 16; d; d /= 2)
            score += __shfl_xor_sync(~0u, score, d);
        if (lane == 0)
            scores[j] = score * 0.125f;
    }
    __syncthreads();
    float total = 0;
    for (int j = threadIdx.x; j < length; j += 256)
        total += scores[j] = __expf(scores[j]);
    for (int d = 16; d; d /= 2)
        total += __shfl_xor_sync(~0u, total, d);
    if (lane == 0)
        part[warp] = total;
    __syncthreads();
    total = 0;
    for (int w = 0; w < 8; ++w)
        total += part[w];
    float2 sum = make_float2(0, 0);
    for (int j = warp; j < length; j += 8) {
        const float2 value = __half22float2(values[head + (size_t)j * 32 + lane]);
        sum.x += scores[j] * value.x;
        sum.y += scores[j] * value.y;
    }
    __syncthreads();
    ((float2*)scores)[threadIdx.x] = sum;
    __syncthreads();
    if (warp == 0) {
        for (int w = 1; w < 8; ++w) {
            sum.x += ((float2*)scores)[w * 32 + lane].x;
            sum.y += ((float2*)scores)[w * 32 + lane].y;
        }
        ((float2*)out)[blockIdx.x * 32 + lane] = make_float2(sum.x / total, sum.y / total);
    }
}

// ---- Monte Carlo and finance -------------------------------------------------------------------------
static __device__ __forceinline__ unsigned xorshift(unsigned& s)
{
    s ^= s << 13;
    s ^= s >> 17;
    return s ^= s << 5;
}

// Philox 4x32-10, as cuRAND's.
static __device__ __forceinline__ uint4 philox(unsigned low, unsigned high, unsigned key)
{
    uint4 c = make_uint4(low, high, 0, 0);
    unsigned k0 = key, k1 = 0x1234567u;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned h0 = __umulhi(0xd2511f53u, c.x), h1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(h1 ^ c.y ^ k0, 0xcd9e8d57u * c.z, h0 ^ c.w ^ k1, 0xd2511f53u * c.x);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return c;
}

extern "C" __global__ void pi_by_darts(unsigned long long* hits, int darts)
{
    unsigned s = thread_of_grid() * 2654435761u + 1;
    int inside = 0;
    for (int i = 0; i < darts; ++i) {
        const float x = xorshift(s) * 2.3283064e-10f, y = xorshift(s) * 2.3283064e-10f;
        inside += x * x + y * y < 1;
    }
    inside = __reduce_add_sync(~0u, inside);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, (unsigned long long)inside);
}

extern "C" __global__ void fill_uniform(float4* out, unsigned seed, int n)
{
    for (int i = thread_of_grid(); i < n; i += gridDim.x * blockDim.x) {
        const uint4 r = philox(i, 0, seed);
        out[i] = make_float4(r.x * 2.3283064e-10f, r.y * 2.3283064e-10f, r.z * 2.3283064e-10f, r.w * 2.3283064e-10f);
    }
}

// Asian call options: one path per thread, Box-Muller normals.
extern "C" __global__ void asian_options(float* payoff, int steps, float drift, float volatility)
{
    const int path = thread_of_grid();
    float log_price = 0, sum = 0;
    for (int i = 0; i < steps; i += 4) {
        const uint4 r = philox(path, i, 7);
        const float u = (r.x + 1.0f) * 2.3283063e-10f, w = (r.z + 1.0f) * 2.3283063e-10f;
        const float a = sqrtf(-2 * __logf(u)), b = sqrtf(-2 * __logf(w));
        float s0, c0, s1, c1;
        __sincosf(r.y * 1.4629181e-9f, &s0, &c0);
        __sincosf(r.w * 1.4629181e-9f, &s1, &c1);
        const float z[4] = {a * c0, a * s0, b * c1, b * s1};
        for (int k = 0; k < 4; ++k) {
            log_price += drift + volatility * z[k];
            sum += __expf(log_price);
        }
    }
    payoff[path] = fmaxf(sum / steps - 1, 0);
}

extern "C" __global__ void black_scholes(const double* __restrict__ spot, const double* __restrict__ strike, const double* __restrict__ years, double* __restrict__ call, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const double s = 30 + 5 * spot[i], x = 30 + 5 * strike[i], t = 1.5 + years[i], root = sqrt(t);
    const double d1 = (log(s / x) + (0.02 + 0.045) * t) / (0.3 * root), d2 = d1 - 0.3 * root;
    call[i] = s * normcdf(d1) - x * exp(-0.02 * t) * normcdf(d2);
}

// American put by a binomial tree of 255 steps; one block per option.
extern "C" __global__ void binomial_tree(const float* __restrict__ strike, float* __restrict__ price)
{
    __shared__ float value[2][257];
    const int t = threadIdx.x;
    const float k = 100 + 10 * strike[blockIdx.x], up = 0.01f;
    value[0][t] = fmaxf(k - 100 * __expf(up * (2 * t - 255)), 0.0f);
    int now = 0;
    for (int step = 254; step >= 0; --step, now ^= 1) {
        __syncthreads();
        if (t <= step) {
            const float held = 0.9998f * (0.499f * value[now][t + 1] + 0.501f * value[now][t]);
            value[now ^ 1][t] = fmaxf(held, k - 100 * __expf(up * (2 * t - step)));
        }
    }
    __syncthreads();
    if (t == 0)
        price[blockIdx.x] = value[now][0];
}

// ---- simulation and number theory --------------------------------------------------------------------
// Lennard-Jones forces from lists of neighbours, stored column by column.
extern "C" __global__ void lennard_jones(const float4* __restrict__ position, const unsigned* __restrict__ neighbour, float4* __restrict__ force, int neighbours, int n, unsigned window)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const float4 p = position[i];
    float4 f = make_float4(0, 0, 0, 0);
    for (int j = 0; j < neighbours; ++j) {
        const unsigned other = (i + neighbour[(size_t)j * n + i] % window) % n;
        const float4 q = position[other];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < 1.5f && r2 > 0) {
            const float s = 1 / r2, s6 = s * s * s, g = s6 * (s6 - 0.5f) * s;
            f.x += dx * g, f.y += dy * g, f.z += dz * g, f.w += s6 * (s6 - 1);
        }
    }
    force[i] = f;
}

extern "C" __global__ void lorenz_rk4(double3* state, int n, int steps)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const auto rate = [](double3 s) {
        return make_double3(10 * (s.y - s.x), s.x * (28 - s.z) - s.y, s.x * s.y - 8.0 / 3 * s.z);
    };
    const auto along = [](double3 s, double3 d, double h) {
        return make_double3(s.x + h * d.x, s.y + h * d.y, s.z + h * d.z);
    };
    double3 s = state[i];
    const double h = 0.001;
    for (int k = 0; k < steps; ++k) {
        const double3 a = rate(s), b = rate(along(s, a, h / 2)), c = rate(along(s, b, h / 2)), d = rate(along(s, c, h));
        s = make_double3(s.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x), s.y + h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y), s.z + h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z));
    }
    state[i] = s;
}
