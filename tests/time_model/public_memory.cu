// Public idioms that move data: copies, layouts, stencils, images, hashing, searches and atomics.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

static __device__ __forceinline__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ int threads_of_grid() { return gridDim.x * blockDim.x; }

// ---- streaming ---------------------------------------------------------------------------------------
template <class T>
static __device__ void copy_one(const T* __restrict__ in, T* __restrict__ out, int n)
{
    const int i = thread_of_grid();
    if (i < n)
        out[i] = in[i];
}
extern "C" __global__ void copy_1_byte(const unsigned char* in, unsigned char* out, int n) { copy_one(in, out, n); }
extern "C" __global__ void copy_2_bytes(const short* in, short* out, int n) { copy_one(in, out, n); }
extern "C" __global__ void copy_4_bytes(const float* in, float* out, int n) { copy_one(in, out, n); }
extern "C" __global__ void copy_8_bytes(const float2* in, float2* out, int n) { copy_one(in, out, n); }
extern "C" __global__ void copy_16_bytes(const float4* in, float4* out, int n) { copy_one(in, out, n); }

// Each thread has four loads in flight; whole blocks move through the array.
extern "C" __global__ void copy_unrolled(const float4* __restrict__ in, float4* __restrict__ out, int n)
{
    for (int base = blockIdx.x * blockDim.x * 4; base < n; base += gridDim.x * blockDim.x * 4) {
        float4 v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = base + k * blockDim.x + threadIdx.x;
            if (i < n)
                v[k] = in[i];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = base + k * blockDim.x + threadIdx.x;
            if (i < n)
                out[i] = v[k];
        }
    }
}

extern "C" __global__ void triad_streaming(const float4* a, const float4* b, float4* c, float s, int n)
{
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const float4 x = __ldcs(a + i), y = __ldcs(b + i);
        __stcs(c + i, make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w));
    }
}

extern "C" __global__ void set_words(int4* out, int value, int n)
{
    for (int i = thread_of_grid(); i < n; i += threads_of_grid())
        out[i] = make_int4(value, value, value, value);
}

// The next tile is copied to shared memory while the block computes on the current one.
extern "C" __global__ void async_tiles(const float* __restrict__ in, float* __restrict__ out, int tiles)
{
    __shared__ __align__(16) float tile[2][1024];
    const float* own = in + (size_t)blockIdx.x * tiles * 1024;
    __pipeline_memcpy_async(&tile[0][4 * threadIdx.x], own + 4 * threadIdx.x, 16);
    __pipeline_commit();
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles)
            __pipeline_memcpy_async(&tile[(t + 1) & 1][4 * threadIdx.x], own + (t + 1) * 1024 + 4 * threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const float* now = tile[t & 1];
        for (int k = 0; k < 4; ++k)
            sum += now[(threadIdx.x + k * 256 + 17) & 1023] * now[threadIdx.x + k * 256];
        __syncthreads();
    }
    out[thread_of_grid()] = sum;
}

// ---- layouts -----------------------------------------------------------------------------------------
// Points (x, y, z) become three arrays, through shared memory; 256 points per block.
extern "C" __global__ void points_to_arrays(const float* __restrict__ in, float* x, float* y, float* z)
{
    __shared__ float s[768];
    const size_t base = (size_t)blockIdx.x * 768;
    for (int k = 0; k < 3; ++k)
        s[k * 256 + threadIdx.x] = in[base + k * 256 + threadIdx.x];
    __syncthreads();
    const int i = thread_of_grid();
    x[i] = s[3 * threadIdx.x];
    y[i] = s[3 * threadIdx.x + 1];
    z[i] = s[3 * threadIdx.x + 2];
}

template <class T>
static __device__ void transpose_tile(const T* __restrict__ in, T* __restrict__ out, int width, int height)
{
    __shared__ T tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_2_bytes(const short* in, short* out, int w, int h) { transpose_tile(in, out, w, h); }
extern "C" __global__ void transpose_16_bytes(const double2* in, double2* out, int w, int h) { transpose_tile(in, out, w, h); }

// NCHW to NHWC: one thread per output element.
extern "C" __global__ void channels_last(const float* __restrict__ in, float* __restrict__ out, int channels, int pixels)
{
    const int i = thread_of_grid();
    if (i >= channels * pixels)
        return;
    const int c = i % channels, p = i / channels;
    out[(size_t)blockIdx.y * channels * pixels + i] = in[(size_t)blockIdx.y * channels * pixels + (size_t)c * pixels + p];
}

// 3 x 3 patches with padding 1; one thread per element of the column matrix.
extern "C" __global__ void image_to_columns(const float* __restrict__ image, float* __restrict__ columns, int channels, int height, int width)
{
    const int i = thread_of_grid();
    if (i >= channels * 9 * height * width)
        return;
    const int x = i % width, y = i / width % height, tap = i / (width * height) % 9, c = i / (width * height * 9);
    const int sx = x + tap % 3 - 1, sy = y + tap / 3 - 1;
    columns[i] = sx >= 0 && sx < width && sy >= 0 && sy < height ? image[(c * height + sy) * width + sx] : 0.0f;
}

// ---- stencils ----------------------------------------------------------------------------------------
template <class T>
static __device__ void nine_points(const T* __restrict__ in, T* __restrict__ out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1)
        return;
    const T* p = in + (size_t)y * width + x;
    out[(size_t)y * width + x] = T(0.25) * p[0] + T(0.125) * (p[-1] + p[1] + p[-width] + p[width]) +
                                 T(0.0625) * (p[-width - 1] + p[-width + 1] + p[width - 1] + p[width + 1]);
}
extern "C" __global__ void nine_points_float(const float* in, float* out, int w, int h) { nine_points(in, out, w, h); }
extern "C" __global__ void nine_points_double(const double* in, double* out, int w, int h) { nine_points(in, out, w, h); }

// Each thread walks down a strip of rows and keeps the column in registers.
extern "C" __global__ void five_points_strip(const float* __restrict__ in, float* __restrict__ out, int width, int rows)
{
    const int x = thread_of_grid();
    const int first = blockIdx.y * rows + 1;
    if (x < 1 || x >= width - 1)
        return;
    float above = in[(size_t)(first - 1) * width + x], here = in[(size_t)first * width + x];
    for (int y = first; y < first + rows; ++y) {
        const float below = in[(size_t)(y + 1) * width + x];
        out[(size_t)y * width + x] =
            0.2f * (above + here + below + in[(size_t)y * width + x - 1] + in[(size_t)y * width + x + 1]);
        above = here;
        here = below;
    }
}

// Finite differences of order 8 in space: 16 x 16 tiles in shared memory, z in registers.
extern "C" __global__ void differences_3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz)
{
    __shared__ float tile[16 + 8][16 + 8];
    const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.025397f, -0.001786f};
    const int x = blockIdx.x * 16 + threadIdx.x + 4, y = blockIdx.y * 16 + threadIdx.y + 4;
    const int tx = threadIdx.x + 4, ty = threadIdx.y + 4;
    const size_t plane = (size_t)nx * ny;
    size_t at = (size_t)y * nx + x;
    float column[9];
    for (int k = 0; k < 8; ++k)
        column[k + 1] = in[at + k * plane];
    at += 4 * plane;
    for (int z = 4; z < nz - 4; ++z, at += plane) {
#pragma unroll
        for (int k = 0; k < 8; ++k)
            column[k] = column[k + 1];
        column[8] = in[at + 4 * plane];
        __syncthreads();
        if (threadIdx.y < 4) {
            tile[threadIdx.y][tx] = in[at - 4 * nx];
            tile[threadIdx.y + 20][tx] = in[at + 16 * nx];
        }
        if (threadIdx.x < 4) {
            tile[ty][threadIdx.x] = in[at - 4];
            tile[ty][threadIdx.x + 20] = in[at + 16];
        }
        tile[ty][tx] = column[4];
        __syncthreads();
        float value = 3 * c[0] * column[4];
#pragma unroll
        for (int r = 1; r <= 4; ++r)
            value += c[r] * (column[4 - r] + column[4 + r] + tile[ty - r][tx] + tile[ty + r][tx] + tile[ty][tx - r] + tile[ty][tx + r]);
        out[at] = value;
    }
}

extern "C" __global__ void twenty_seven_points(const double* __restrict__ in, double* __restrict__ out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    double sum[4] = {};
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                sum[abs(dx) + abs(dy) + abs(dz)] += in[((size_t)(z + dz) * n + y + dy) * n + x + dx];
    out[((size_t)z * n + y) * n + x] = 0.5 * sum[0] + 0.05 * sum[1] + 0.015 * sum[2] + 0.0025 * sum[3];
}

// Lattice Boltzmann, D2Q9, periodic: pulls nine distributions, relaxes, stores.
extern "C" __global__ void lattice_boltzmann(const float* __restrict__ f, float* __restrict__ g, int width, int height, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float w[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    const size_t cells = (size_t)width * height;
    float v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        const int sx = (x - cx[q] + width) % width, sy = (y - cy[q] + height) % height;
        v[q] = f[q * cells + (size_t)sy * width + sx] + 2 * w[q];
        rho += v[q];
        ux += cx[q] * v[q];
        uy += cy[q] * v[q];
    }
    ux /= rho;
    uy /= rho;
    const float square = 1 - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        const float cu = 3 * (cx[q] * ux + cy[q] * uy);
        g[q * cells + (size_t)y * width + x] = v[q] + omega * (w[q] * rho * (square + cu + 0.5f * cu * cu) - v[q]);
    }
}

// ---- images and text ---------------------------------------------------------------------------------
extern "C" __global__ void resize_bilinear(const uchar4* __restrict__ in, uchar4* __restrict__ out, int iw, int ih, int ow, int oh)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh)
        return;
    const float fx = fmaxf((x + 0.5f) * iw / ow - 0.5f, 0), fy = fmaxf((y + 0.5f) * ih / oh - 0.5f, 0);
    const int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, iw - 1), y1 = min(y0 + 1, ih - 1);
    const float ax = fx - x0, ay = fy - y0;
    const uchar4 a = in[y0 * iw + x0], b = in[y0 * iw + x1], c = in[y1 * iw + x0], d = in[y1 * iw + x1];
    const auto mix = [&](float p, float q, float r, float s) {
        return (unsigned char)((1 - ay) * ((1 - ax) * p + ax * q) + ay * ((1 - ax) * r + ax * s) + 0.5f);
    };
    out[y * ow + x] = make_uchar4(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), mix(a.w, b.w, c.w, d.w));
}

extern "C" __global__ void rotate_texture(cudaTextureObject_t image, float* out, int width, int height, float angle)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float c = cosf(angle), s = sinf(angle), u = x - 0.5f * width, v = y - 0.5f * height;
    out[y * width + x] = tex2D<float>(image, c * u - s * v + 0.5f * width, s * u + c * v + 0.5f * height);
}

// Three bytes become four characters; the alphabet is in shared memory.
extern "C" __global__ void base64(const unsigned char* __restrict__ in, uchar4* __restrict__ out, int groups)
{
    __shared__ unsigned char letter[64];
    if (threadIdx.x < 64) {
        const int v = threadIdx.x;
        letter[v] = v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
    }
    __syncthreads();
    for (int i = thread_of_grid(); i < groups; i += threads_of_grid()) {
        const int bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        out[i] = make_uchar4(letter[bits >> 18], letter[bits >> 12 & 63], letter[bits >> 6 & 63], letter[bits & 63]);
    }
}

// ---- hashing and searches ----------------------------------------------------------------------------
static __device__ __forceinline__ unsigned murmur_end(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

// Hashes of records of 64 bytes.
extern "C" __global__ void murmur_records(const uint4* __restrict__ records, unsigned* __restrict__ hashes, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    unsigned h = 42;
    const auto mix = [&](unsigned k) {
        k *= 0xcc9e2d51u;
        k = k << 15 | k >> 17;
        h ^= k * 0x1b873593u;
        h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    };
    for (int j = 0; j < 4; ++j) {
        const uint4 v = records[4 * i + j];
        mix(v.x), mix(v.y), mix(v.z), mix(v.w);
    }
    hashes[i] = murmur_end(h ^ 64);
}

// Open addressing with linear probing; a key of 0 means an empty slot.
extern "C" __global__ void hash_insert(const unsigned* __restrict__ keys, unsigned* slots, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const unsigned key = keys[i] | 1;
    for (unsigned at = murmur_end(key) & mask;; at = (at + 1) & mask) {
        const unsigned before = atomicCAS(slots + at, 0u, key);
        if (before == 0 || before == key)
            return;
    }
}

// Cuckoo hashing: a key is in one of two buckets of four.
extern "C" __global__ void cuckoo_lookup(const unsigned* __restrict__ keys, const uint4* __restrict__ buckets, unsigned char* found, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const unsigned key = keys[i];
    const uint4 a = buckets[murmur_end(key) & mask];
    bool is_found = a.x == key || a.y == key || a.z == key || a.w == key;
    if (!is_found) {
        const uint4 b = buckets[murmur_end(key ^ 0x9e3779b9u) & mask];
        is_found = b.x == key || b.y == key || b.z == key || b.w == key;
    }
    found[i] = is_found;
}

extern "C" __global__ void bloom_query(const unsigned* __restrict__ keys, const unsigned* __restrict__ bits, unsigned char* maybe, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const unsigned h1 = murmur_end(keys[i]), h2 = murmur_end(keys[i] + 0x7f4a7c15u) | 1;
    bool all = true;
    for (int k = 0; k < 4 && all; ++k) {
        const unsigned bit = (h1 + k * h2) & mask;
        all = bits[bit >> 5] >> (bit & 31) & 1;
    }
    maybe[i] = all;
}

struct Node {
    unsigned next, key, value, flags;
};

// Each thread follows a list until its end (one node in eight) or for `most` nodes.
extern "C" __global__ void walk_lists(const Node* __restrict__ nodes, unsigned* __restrict__ sums, unsigned mask, int most, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    unsigned at = murmur_end(i) & mask, sum = 0;
    for (int k = 0; k < most; ++k) {
        const uint4 node = *reinterpret_cast<const uint4*>(nodes + at);
        sum += node.z;
        if ((node.y & 7) == 0)
            break;
        at = node.x & mask;
    }
    sums[i] = sum;
}

// Dependent loads; adding the step keeps the walk from closing a cycle.
extern "C" __global__ void chase_steps(const unsigned* next, unsigned* end, unsigned mask, int steps)
{
    unsigned at = thread_of_grid() * 977u & mask;
    for (int k = 0; k < steps; ++k)
        at = (next[at] + k) & mask;
    end[thread_of_grid()] = at;
}

// Lower bounds in a sorted array: 256 pivots in shared memory, then a search within one part.
extern "C" __global__ void lower_bound_pivots(const int* __restrict__ sorted, const int* __restrict__ wanted, int* __restrict__ place, int size, int n)
{
    __shared__ int pivot[256];
    const int part = size / 256;
    pivot[threadIdx.x] = sorted[threadIdx.x * part];
    __syncthreads();
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const int key = (unsigned)wanted[i] % (unsigned)size;
        int low = 0;
        for (int step = 128; step; step /= 2)
            if (pivot[low + step] <= key)
                low += step;
        low *= part;
        for (int count = part; count > 0;) {
            const int half = count / 2;
            if (sorted[low + half] < key) {
                low += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        place[i] = low;
    }
}

// ---- atomics -----------------------------------------------------------------------------------------
// Histogram of bytes, four at a time; one private histogram per block.
extern "C" __global__ void byte_histogram(const uchar4* __restrict__ in, unsigned* bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const uchar4 v = in[i];
        atomicAdd(own + v.x, 1u), atomicAdd(own + v.y, 1u), atomicAdd(own + v.z, 1u), atomicAdd(own + v.w, 1u);
    }
    __syncthreads();
    if (own[threadIdx.x])
        atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}

extern "C" __global__ void wide_histogram(const unsigned short* __restrict__ in, unsigned* bins, int n)
{
    const int i = thread_of_grid();
    if (i < n)
        atomicAdd(bins + in[i], 1u);
}

// Adds rows of 64 floats to the rows of a table (the gradient of an embedding).
extern "C" __global__ void index_add(const float* __restrict__ rows, const unsigned* __restrict__ index, float* table, unsigned mask)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    float* to = table + (size_t)(index[row] & mask) * 64;
    for (int j = threadIdx.x; j < 64; j += 32)
        atomicAdd(to + j, rows[(size_t)row * 64 + j]);
}

// One atomic per group of active threads reserves their places in a ring.
extern "C" __global__ void filter_aggregated(const int* __restrict__ in, int* out, unsigned* count, int limit, int n)
{
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const int v = in[i];
        if (v > limit) {
            const auto active = cg::coalesced_threads();
            unsigned base = 0;
            if (active.thread_rank() == 0)
                base = atomicAdd(count, (unsigned)active.size());
            out[(active.shfl(base, 0) + active.thread_rank()) % n] = v;
        }
    }
}

// A minimum and a maximum per block, then one atomic each; signed integers order non-negative floats.
extern "C" __global__ void range_of_floats(const float4* __restrict__ in, int* least, int* greatest, int n)
{
    float low = 1e30f, high = 0;
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const float4 v = in[i];
        low = fminf(low, fminf(fminf(fabsf(v.x), fabsf(v.y)), fminf(fabsf(v.z), fabsf(v.w))));
        high = fmaxf(high, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    low = cg::reduce(warp, low, cg::less<float>());
    high = cg::reduce(warp, high, cg::greater<float>());
    if (warp.thread_rank() == 0) {
        atomicMin(least, __float_as_int(low));
        atomicMax(greatest, __float_as_int(high));
    }
}

// The nearest hit per pixel: depth in the upper half of the word, triangle in the lower.
extern "C" __global__ void depth_buffer(const unsigned* __restrict__ pixel, const float* __restrict__ depth, unsigned long long* buffer, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i < n)
        atomicMin(buffer + (pixel[i] & mask), (unsigned long long)__float_as_uint(fabsf(depth[i])) << 32 | (unsigned)i);
}

// Bits of visited vertices.
extern "C" __global__ void mark_bits(const unsigned* __restrict__ vertex, unsigned* bits, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i < n) {
        const unsigned v = vertex[i] & mask;
        atomicOr(bits + (v >> 5), 1u << (v & 31));
    }
}
