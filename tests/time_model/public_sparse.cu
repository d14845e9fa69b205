// Public idioms on sparse matrices, graphs, and the rows of neural networks.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static __device__ __forceinline__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ int threads_of_grid() { return gridDim.x * blockDim.x; }

template <class T>
static __device__ __forceinline__ T sum_of_warp(T v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

// Every thread gets the sum over its block of at most 1,024 threads.
static __device__ __forceinline__ float sum_of_block(float v)
{
    __shared__ float part[32];
    v = sum_of_warp(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
    return sum_of_warp(v);
}

// ---- sparse matrices ---------------------------------------------------------------------------------
// A row begins at an average distance plus a byte of jitter, so the rows have irregular lengths.
static __device__ __forceinline__ int begin_of(const unsigned char* jitter, int row, int average)
{
    return row * average + jitter[row] % average;
}

template <class T>
static __device__ void csr_by_thread(const unsigned char* jitter, const unsigned* __restrict__ column, const T* __restrict__ value, const T* __restrict__ x, T* y, int rows, int average, unsigned mask)
{
    const int row = thread_of_grid();
    if (row >= rows)
        return;
    const int end = begin_of(jitter, row + 1, average);
    T sum = 0;
    for (int k = begin_of(jitter, row, average); k < end; ++k)
        sum += value[k] * x[column[k] & mask];
    y[row] = sum;
}
extern "C" __global__ void csr_scalar_float(const unsigned char* jitter, const unsigned* column, const float* value, const float* x, float* y, int rows, int average, unsigned mask)
{
    csr_by_thread(jitter, column, value, x, y, rows, average, mask);
}
extern "C" __global__ void csr_scalar_double(const unsigned char* jitter, const unsigned* column, const double* value, const double* x, double* y, int rows, int average, unsigned mask)
{
    csr_by_thread(jitter, column, value, x, y, rows, average, mask);
}

extern "C" __global__ void csr_vector(const unsigned char* jitter, const unsigned* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x, float* y, int rows, int average, unsigned mask)
{
    const int row = thread_of_grid() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const int end = begin_of(jitter, row + 1, average);
    float sum = 0;
    for (int k = begin_of(jitter, row, average) + lane; k < end; k += 32)
        sum += value[k] * x[column[k] & mask];
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[row] = sum;
}

// ELLPACK, column by column: the loads of a warp are adjacent.
extern "C" __global__ void ell(const unsigned* __restrict__ column, const double* __restrict__ value, const double* __restrict__ x, double* __restrict__ y, int rows, int width, unsigned mask)
{
    const int row = thread_of_grid();
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = 0; k < width; ++k)
        sum += value[(size_t)k * rows + row] * x[column[(size_t)k * rows + row] & mask];
    y[row] = sum;
}

// A banded matrix with equally spaced diagonals, numbered by `index`.
extern "C" __global__ void dia(const int* __restrict__ index, const float* __restrict__ value, const float* __restrict__ x, float* __restrict__ y, int rows, int diagonals, int spacing)
{
    const int row = thread_of_grid();
    if (row >= rows)
        return;
    float sum = 0;
    for (int d = 0; d < diagonals; ++d) {
        const int column = row + (index[d] - diagonals / 2) * spacing;
        if (column >= 0 && column < rows)
            sum += value[(size_t)d * rows + row] * x[column];
    }
    y[row] = sum;
}

extern "C" __global__ void coo_atomic(const unsigned* __restrict__ row, const unsigned* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x, float* y, unsigned mask, int entries)
{
    const int i = thread_of_grid();
    if (i < entries)
        atomicAdd(y + (row[i] & mask), value[i] * x[column[i] & mask]);
}

// Blocks of 4 x 4, four threads per block row, eight block rows per warp.
extern "C" __global__ void bsr_4x4(const unsigned* __restrict__ column, const float4* __restrict__ value, const float4* __restrict__ x, float* __restrict__ y, int per_row, unsigned mask)
{
    const int i = thread_of_grid(), row = i / 4, r = i % 4;
    float sum = 0;
    for (int k = 0; k < per_row; ++k) {
        const int entry = row * per_row + k;
        const float4 a = value[entry * 4 + r], b = x[column[entry] & mask];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    y[i] = sum;
}

// ---- graphs ------------------------------------------------------------------------------------------
// One step of a breadth-first search from a frontier of about one vertex in `rare`; the classic version with masks.
extern "C" __global__ void bfs_step(const unsigned char* jitter, const unsigned* __restrict__ edges, const unsigned* __restrict__ frontier, const unsigned char* __restrict__ is_visited, unsigned char* is_next, int* cost, int vertices, int average, unsigned rare, int depth)
{
    const int v = thread_of_grid();
    if (v >= vertices || frontier[v] % rare != 0)
        return;
    const int end = begin_of(jitter, v + 1, average);
    for (int k = begin_of(jitter, v, average); k < end; ++k) {
        const unsigned u = edges[k] % vertices;
        if (is_visited[u] & 1)
            continue;
        cost[u] = depth;
        is_next[u] = 1;
    }
}

// Bottom up: an unvisited vertex looks for a neighbour in the frontier and stops at the first.
extern "C" __global__ void bfs_bottom_up(const unsigned* __restrict__ edges, const unsigned* __restrict__ in_frontier, int* parent, int vertices, int degree)
{
    const int v = thread_of_grid();
    if (v >= vertices)
        return;
    int found = -1;
    for (int k = 0; k < degree; ++k) {
        const unsigned u = edges[v * degree + k] % vertices;
        if (in_frontier[u >> 5] >> (u & 31) & 1) {
            found = u;
            break;
        }
    }
    parent[v] = found;
}

extern "C" __global__ void page_rank_pull(const unsigned char* jitter, const unsigned* __restrict__ edges, const float* __restrict__ share, float* __restrict__ rank, int vertices, int average)
{
    for (int v = thread_of_grid() / 8; v < vertices; v += threads_of_grid() / 8) {
        const int end = begin_of(jitter, v + 1, average);
        float sum = 0;
        for (int k = begin_of(jitter, v, average) + threadIdx.x % 8; k < end; k += 8)
            sum += share[edges[k] % vertices];
        for (int d = 4; d; d /= 2)
            sum += __shfl_xor_sync(~0u, sum, d, 8);
        if (threadIdx.x % 8 == 0)
            rank[v] = 0.15f + 0.85f * sum;
    }
}

// Pointer jumping of connected components.
extern "C" __global__ void jump_pointers(const unsigned* __restrict__ parent, unsigned* __restrict__ out, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const unsigned up = parent[i] & mask;
    out[i] = parent[up] & mask;
}

// One round of Bellman and Ford over a list of edges.
extern "C" __global__ void relax_edges(const uint2* __restrict__ edges, const float* __restrict__ weight, const int* __restrict__ distance, int* next, unsigned mask, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const uint2 e = edges[i];
    const int through = distance[e.x & mask] + (int)(fabsf(weight[i]) * 1000);
    atomicMin(next + (e.y & mask), through);
}

// ---- rows of neural networks -------------------------------------------------------------------------
// Softmax in one pass over rows of 32 * PER_LANE floats that a warp holds in registers.
template <int PER_LANE>
static __device__ void softmax_in_registers(const float* __restrict__ in, float* __restrict__ out, int rows)
{
    const int row = thread_of_grid() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v[PER_LANE], most = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k)
        most = fmaxf(most, v[k] = in[((size_t)row * PER_LANE + k) * 32 + lane]);
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k)
        sum += v[k] = __expf(v[k] - most);
    sum = 1 / sum_of_warp(sum);
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k)
        out[((size_t)row * PER_LANE + k) * 32 + lane] = v[k] * sum;
}
extern "C" __global__ void softmax_128(const float* in, float* out, int rows) { softmax_in_registers<4>(in, out, rows); }
extern "C" __global__ void softmax_1024(const float* in, float* out, int rows) { softmax_in_registers<32>(in, out, rows); }

// Online softmax: maximum and sum in one loop, then a second pass over the row.
extern "C" __global__ void softmax_online(const float* __restrict__ in, float* __restrict__ out, int columns)
{
    __shared__ float mosts[32], sums[32];
    const float* row = in + (size_t)blockIdx.x * columns;
    float most = -1e30f, sum = 0;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        const float v = row[j], now = fmaxf(most, v);
        sum = sum * __expf(most - now) + __expf(v - now);
        most = now;
    }
    const auto merge = [&](float other_most, float other_sum) {
        const float now = fmaxf(most, other_most);
        sum = sum * __expf(most - now) + other_sum * __expf(other_most - now);
        most = now;
    };
    for (int d = 16; d; d /= 2)
        merge(__shfl_xor_sync(~0u, most, d), __shfl_xor_sync(~0u, sum, d));
    const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        mosts[threadIdx.x / 32] = most;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    most = lane < warps ? mosts[lane] : -1e30f;
    sum = lane < warps ? sums[lane] : 0;
    for (int d = 16; d; d /= 2)
        merge(__shfl_xor_sync(~0u, most, d), __shfl_xor_sync(~0u, sum, d));
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        out[(size_t)blockIdx.x * columns + j] = __expf(row[j] - most) / sum;
}

// Layer norm with vector loads; the row stays in registers (four floats per thread).
extern "C" __global__ void layer_norm_vector(const float4* __restrict__ in, const float4* __restrict__ gain, const float4* __restrict__ bias, float4* __restrict__ out)
{
    const int width = blockDim.x * 4;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    const float mean = sum_of_block(v.x + v.y + v.z + v.w) / width;
    v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
    const float scale = rsqrtf(sum_of_block(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w) / width + 1e-5f);
    const float4 g = gain[threadIdx.x], b = bias[threadIdx.x];
    out[i] = make_float4(v.x * scale * g.x + b.x, v.y * scale * g.y + b.y, v.z * scale * g.z + b.z, v.w * scale * g.w + b.w);
}

// Gradients of gain and bias: each thread owns a column of a slice of rows.
extern "C" __global__ void layer_norm_gradient(const float* __restrict__ dy, const float* __restrict__ x, const float2* __restrict__ statistics, float* gain, float* bias, int rows, int columns)
{
    const int c = thread_of_grid();
    float dg = 0, db = 0;
    for (int r = blockIdx.y * rows; r < (blockIdx.y + 1) * rows; ++r) {
        const float2 s = statistics[r];
        const float d = dy[(size_t)r * columns + c];
        dg += d * (x[(size_t)r * columns + c] - s.x) * s.y;
        db += d;
    }
    atomicAdd(gain + c, dg);
    atomicAdd(bias + c, db);
}

// RMS norm of rows of halves, eight per load.
extern "C" __global__ void rms_norm_half(const uint4* __restrict__ in, const uint4* __restrict__ gain, uint4* __restrict__ out, int vectors)
{
    const uint4* row = in + (size_t)blockIdx.x * vectors;
    float sum = 0;
    for (int j = threadIdx.x; j < vectors; j += blockDim.x) {
        const uint4 v = row[j];
        const __half2* h = reinterpret_cast<const __half2*>(&v);
        for (int k = 0; k < 4; ++k) {
            const float2 f = __half22float2(h[k]);
            sum += f.x * f.x + f.y * f.y;
        }
    }
    const float scale = rsqrtf(sum_of_block(sum) / (vectors * 8) + 1e-6f);
    for (int j = threadIdx.x; j < vectors; j += blockDim.x) {
        const uint4 v = row[j], g = gain[j];
        uint4 result;
        for (int k = 0; k < 4; ++k) {
            const float2 f = __half22float2(reinterpret_cast<const __half2*>(&v)[k]), w = __half22float2(reinterpret_cast<const __half2*>(&g)[k]);
            reinterpret_cast<__half2*>(&result)[k] = __floats2half2_rn(f.x * scale * w.x, f.y * scale * w.y);
        }
        out[(size_t)blockIdx.x * vectors + j] = result;
    }
}

// Mean and variance per channel of NCHW data; one block per channel.
extern "C" __global__ void batch_statistics(const float* __restrict__ in, float2* __restrict__ statistics, int images, int channels, int pixels)
{
    float sum = 0, squares = 0;
    for (int n = 0; n < images; ++n) {
        const float* plane = in + ((size_t)n * channels + blockIdx.x) * pixels;
        for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
            sum += plane[i];
            squares += plane[i] * plane[i];
        }
    }
    sum = sum_of_block(sum);
    squares = sum_of_block(squares);
    if (threadIdx.x == 0) {
        const float count = (float)images * pixels, mean = sum / count;
        statistics[blockIdx.x] = make_float2(mean, squares / count - mean * mean);
    }
}

extern "C" __global__ void max_pool_2x2(const float2* __restrict__ in, float* __restrict__ out, int width, int rows)
{
    const int i = thread_of_grid();
    if (i >= width * rows)
        return;
    const int x = i % width, y = i / width;
    const float2 a = in[(2 * y) * width + x], b = in[(2 * y + 1) * width + x];
    out[i] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}

// Depthwise 3 x 3 convolution, channels last, four channels per thread.
extern "C" __global__ void depthwise_conv(const float4* __restrict__ in, const float4* __restrict__ weight, float4* __restrict__ out, int height, int width)
{
    const int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y, channels = blockDim.x;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width)
                continue;
            const float4 v = in[((y + dy) * width + x + dx) * channels + c], w = weight[((dy + 1) * 3 + dx + 1) * channels + c];
            sum.x += v.x * w.x, sum.y += v.y * w.y, sum.z += v.z * w.z, sum.w += v.w * w.w;
        }
    out[(y * width + x) * channels + c] = sum;
}

// Rotary embedding of pairs of bf16; positions along grid y.
extern "C" __global__ void rotary_embedding(__nv_bfloat162* data, int pairs_of_head)
{
    const int i = thread_of_grid(), pair = i % pairs_of_head;
    const size_t at = (size_t)blockIdx.y * threads_of_grid() + i;
    float s, c;
    sincosf(blockIdx.y * exp2f(-13.287712f * pair / pairs_of_head), &s, &c);
    const float2 v = __bfloat1622float2(data[at]);
    data[at] = __floats2bfloat162_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}

extern "C" __global__ void cross_entropy(const float* __restrict__ logits, const unsigned* __restrict__ label, float* __restrict__ loss, int classes)
{
    const float* row = logits + (size_t)blockIdx.x * classes;
    float sum = 0;
    for (int j = threadIdx.x; j < classes; j += blockDim.x)
        sum += expf(row[j]);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) - row[label[blockIdx.x] % classes];
}

extern "C" __global__ void adam(float4* w, float4* m, float4* v, const float4* __restrict__ g, float rate, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    float4 a = w[i], b = m[i], c = v[i];
    const float4 d = g[i];
    const auto step = [&](float& w, float& m, float& v, float g) {
        m = 0.9f * m + 0.1f * g;
        v = 0.999f * v + 0.001f * g * g;
        w -= rate * m / (sqrtf(fabsf(v)) + 1e-8f);
    };
    step(a.x, b.x, c.x, d.x), step(a.y, b.y, c.y, d.y), step(a.z, b.z, c.z, d.z), step(a.w, b.w, c.w, d.w);
    w[i] = a, m[i] = b, v[i] = c;
}

// Rows of floats become signed bytes with one scale per row; one warp per row.
extern "C" __global__ void quantize_rows(const float4* __restrict__ in, char4* __restrict__ out, float* __restrict__ scales, int rows, int vectors)
{
    const int row = thread_of_grid() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float most = 0;
    for (int j = lane; j < vectors; j += 32) {
        const float4 v = in[(size_t)row * vectors + j];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    const float scale = 127 / fmaxf(most, 1e-8f);
    for (int j = lane; j < vectors; j += 32) {
        const float4 v = in[(size_t)row * vectors + j];
        out[(size_t)row * vectors + j] = make_char4(__float2int_rn(v.x * scale), __float2int_rn(v.y * scale), __float2int_rn(v.z * scale), __float2int_rn(v.w * scale));
    }
    if (lane == 0)
        scales[row] = 1 / scale;
}

// A matrix of signed bytes times a vector; one warp per row, 16 bytes per load.
extern "C" __global__ void bytes_times_vector(const int4* __restrict__ matrix, const int4* __restrict__ x, int* __restrict__ y, int rows, int vectors)
{
    const int row = thread_of_grid() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int sum = 0;
    for (int j = lane; j < vectors; j += 32) {
        const int4 a = matrix[(size_t)row * vectors + j], b = x[j];
        sum = __dp4a(a.x, b.x, sum), sum = __dp4a(a.y, b.y, sum), sum = __dp4a(a.z, b.z, sum), sum = __dp4a(a.w, b.w, sum);
    }
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[row] = sum;
}
