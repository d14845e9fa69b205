// Public idioms in which the threads of a warp or block cooperate: scans, sorts, transforms, sparse matrices, graphs.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

static __device__ __forceinline__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ int threads_of_grid() { return gridDim.x * blockDim.x; }

template <class T>
static __device__ __forceinline__ T sum_of_warp(T v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

// ---- reductions and scans ----------------------------------------------------------------------------
// Partial sums of all blocks; the last block to finish adds them. The counter wraps around to zero.
extern "C" __global__ void sum_last_block(const float* __restrict__ in, volatile float* partial, unsigned* finished, float* total, int n)
{
    __shared__ float s[8];
    __shared__ bool is_last;
    float sum = 0;
    for (int i = thread_of_grid(); i < n; i += threads_of_grid())
        sum += in[i];
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int w = 0; w < 8; ++w)
            sum += s[w];
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        sum += partial[i];
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int w = 0; w < 8; ++w)
            sum += s[w];
        *total = sum;
    }
}

extern "C" __global__ void dot_groups(const double2* __restrict__ a, const double2* __restrict__ b, double* result, int n)
{
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    double sum = 0;
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const double2 x = a[i], y = b[i];
        sum += x.x * y.x + x.y * y.y;
    }
    sum = cg::reduce(warp, sum, cg::plus<double>());
    if (warp.thread_rank() == 0)
        atomicAdd(result, sum);
}

// The index of the greatest element of each row; one warp per row.
extern "C" __global__ void argmax_rows(const float* __restrict__ in, int* __restrict__ index, int rows, int columns)
{
    const int row = thread_of_grid() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float best = -1e30f;
    int at = 0;
    for (int j = lane; j < columns; j += 32) {
        const float v = in[(size_t)row * columns + j];
        if (v > best) {
            best = v;
            at = j;
        }
    }
    for (int d = 16; d; d /= 2) {
        const float v = __shfl_down_sync(~0u, best, d);
        const int from = __shfl_down_sync(~0u, at, d);
        if (v > best || (v == best && from < at)) {
            best = v;
            at = from;
        }
    }
    if (lane == 0)
        index[row] = at;
}

// Inclusive scan of 4 elements per thread with shuffles; the total of each block goes to `totals`.
extern "C" __global__ void scan_blocks(const int4* __restrict__ in, int4* __restrict__ out, int* totals)
{
    __shared__ int warp_sums[32];
    const int i = thread_of_grid(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int sum = v.w;
    for (int d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += before;
    }
    if (lane == 31)
        warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int w = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            const int before = __shfl_up_sync(~0u, w, d);
            if (lane >= d)
                w += before;
        }
        warp_sums[lane] = w;
    }
    __syncthreads();
    const int offset = sum - v.w + (warp ? warp_sums[warp - 1] : 0);
    out[i] = make_int4(v.x + offset, v.y + offset, v.z + offset, v.w + offset);
    if (threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = v.w + offset;
}

extern "C" __global__ void add_offsets(int4* data, const int* __restrict__ offsets)
{
    const int i = thread_of_grid(), offset = offsets[blockIdx.x];
    int4 v = data[i];
    v.x += offset, v.y += offset, v.z += offset, v.w += offset;
    data[i] = v;
}

// Blelloch's exclusive scan of 1,024 floats per block, padded against bank conflicts.
extern "C" __global__ void scan_work_efficient(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float s[1024 + 32];
    const auto at = [](int i) { return i + (i >> 5); };
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 1024;
    s[at(t)] = in[base + t];
    s[at(t + 512)] = in[base + t + 512];
    int offset = 1;
    for (int d = 512; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            s[at(offset * (2 * t + 2) - 1)] += s[at(offset * (2 * t + 1) - 1)];
    }
    if (t == 0)
        s[at(1023)] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const int low = at(offset * (2 * t + 1) - 1), high = at(offset * (2 * t + 2) - 1);
            const float before = s[low];
            s[low] = s[high];
            s[high] += before;
        }
    }
    __syncthreads();
    out[base + t] = s[at(t)];
    out[base + t + 512] = s[at(t + 512)];
}

// Sums of runs of equal keys in sorted order: a segmented scan per warp, one atomic per run.
extern "C" __global__ void reduce_by_key(const unsigned* __restrict__ keys, const float* __restrict__ values, float* sums, int shift)
{
    const int i = thread_of_grid(), lane = threadIdx.x % 32;
    const unsigned key = keys[i] >> shift, key_before = __shfl_up_sync(~0u, key, 1);
    float sum = values[i];
    const unsigned heads = __ballot_sync(~0u, lane == 0 || key != key_before);
    const int first = 31 - __clz(heads & (~0u >> (31 - lane)));
    for (int d = 1; d < 32; d *= 2) {
        const float before = __shfl_up_sync(~0u, sum, d);
        if (lane - d >= first)
            sum += before;
    }
    if (lane == 31 || (heads >> (lane + 1) & 1))
        atomicAdd(sums + key, sum);
}

// ---- sorts -------------------------------------------------------------------------------------------
// Rows of 32 keys, bitonic, in the registers of a warp.
extern "C" __global__ void bitonic_warp(unsigned* keys, int n)
{
    const int i = thread_of_grid(), lane = threadIdx.x % 32;
    if (i >= n)
        return;
    unsigned v = keys[i];
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            const unsigned other = __shfl_xor_sync(~0u, v, j);
            const bool keeps_low = ((lane & j) == 0) == ((lane & k) == 0);
            v = keeps_low ? min(v, other) : max(v, other);
        }
    keys[i] = v;
}

// One pass over global memory of a bitonic sort of 64-bit keys.
extern "C" __global__ void bitonic_pass(unsigned long long* keys, unsigned k, unsigned j)
{
    const unsigned t = thread_of_grid(), low = 2 * t - (t & (j - 1)), high = low + j;
    const unsigned long long a = keys[low], b = keys[high];
    const bool swaps = (a > b) == ((low & k) == 0);
    keys[low] = swaps ? b : a;
    keys[high] = swaps ? a : b;
}

static __device__ __forceinline__ void order(float& a, float& b)
{
    const float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

// Eight floats per thread, with the sorting network of 19 comparators.
extern "C" __global__ void sort_eights(float4* data, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const float4 a = data[2 * i], b = data[2 * i + 1];
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    order(v[0], v[2]), order(v[1], v[3]), order(v[4], v[6]), order(v[5], v[7]);
    order(v[0], v[4]), order(v[1], v[5]), order(v[2], v[6]), order(v[3], v[7]);
    order(v[0], v[1]), order(v[2], v[3]), order(v[4], v[5]), order(v[6], v[7]);
    order(v[2], v[4]), order(v[3], v[5]);
    order(v[1], v[4]), order(v[3], v[6]);
    order(v[1], v[2]), order(v[3], v[4]), order(v[5], v[6]);
    data[2 * i] = make_float4(v[0], v[1], v[2], v[3]);
    data[2 * i + 1] = make_float4(v[4], v[5], v[6], v[7]);
}

// Sorts 256 keys per block by `bits` bits, one stable split per bit.
extern "C" __global__ void radix_split(const unsigned* __restrict__ in, unsigned* __restrict__ out, int bits)
{
    __shared__ unsigned keys[256];
    __shared__ int zeros_of_warp[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    keys[t] = in[thread_of_grid()];
    for (int bit = 0; bit < bits; ++bit) {
        __syncthreads();
        const unsigned key = keys[t];
        const bool is_zero = (key >> bit & 1) == 0;
        const unsigned zeros = __ballot_sync(~0u, is_zero);
        if (lane == 0)
            zeros_of_warp[warp] = __popc(zeros);
        __syncthreads();
        int before = __popc(zeros & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < 8; ++w) {
            if (w < warp)
                before += zeros_of_warp[w];
            all += zeros_of_warp[w];
        }
        keys[is_zero ? before : all + t - before] = key;
    }
    __syncthreads();
    out[thread_of_grid()] = keys[t];
}

// Counts per block and digit, for a radix sort with 8 bits per pass.
extern "C" __global__ void radix_upsweep(const uint4* __restrict__ keys, unsigned* counts, int shift, int per_block)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    const uint4* own = keys + (size_t)blockIdx.x * per_block;
    for (int i = threadIdx.x; i < per_block; i += 256) {
        const uint4 v = own[i];
        atomicAdd(bins + (v.x >> shift & 255), 1u), atomicAdd(bins + (v.y >> shift & 255), 1u);
        atomicAdd(bins + (v.z >> shift & 255), 1u), atomicAdd(bins + (v.w >> shift & 255), 1u);
    }
    __syncthreads();
    counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// Ranks keys by digit within their warp with match_any; the ranks continue from warp to warp.
extern "C" __global__ void radix_rank(const unsigned* __restrict__ keys, unsigned short* __restrict__ ranks, int shift)
{
    __shared__ int count[8][16];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x < 128)
        (&count[0][0])[threadIdx.x] = 0;
    __syncthreads();
    const int digit = keys[thread_of_grid()] >> shift & 15;
    const unsigned peers = __match_any_sync(~0u, digit);
    const int before = __popc(peers & ((1u << lane) - 1));
    if (before == 0)
        count[warp][digit] = __popc(peers);
    __syncthreads();
    int rank = before;
    for (int w = 0; w < warp; ++w)
        rank += count[w][digit];
    ranks[thread_of_grid()] = rank;
}

// Merges two sorted arrays of n: each thread finds its diagonal, then merges 8 elements.
extern "C" __global__ void merge_path(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out, int n)
{
    const int diagonal = thread_of_grid() * 8;
    if (diagonal >= 2 * n)
        return;
    int low = max(0, diagonal - n), high = min(diagonal, n);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = 0; k < 8; ++k) {
        const bool takes_a = j >= n || (i < n && a[i] <= b[j]);
        out[diagonal + k] = takes_a ? a[i++] : b[j++];
    }
}

// The four nearest of all points, for each thread's query; points are staged in shared memory.
extern "C" __global__ void nearest_four(const float2* __restrict__ queries, const float2* __restrict__ points, int4* __restrict__ nearest, int n)
{
    __shared__ float2 tile[256];
    const float2 q = queries[thread_of_grid()];
    float d[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    int at[4] = {};
    for (int base = 0; base < n; base += 256) {
        __syncthreads();
        tile[threadIdx.x] = points[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            const float dx = tile[k].x - q.x, dy = tile[k].y - q.y, distance = dx * dx + dy * dy;
            if (distance < d[3]) {
                d[3] = distance;
                at[3] = base + k;
#pragma unroll
                for (int m = 3; m > 0; --m)
                    if (d[m] < d[m - 1]) {
                        const float t = d[m];
                        d[m] = d[m - 1], d[m - 1] = t;
                        const int u = at[m];
                        at[m] = at[m - 1], at[m - 1] = u;
                    }
            }
        }
    }
    nearest[thread_of_grid()] = make_int4(at[0], at[1], at[2], at[3]);
}

// ---- transforms --------------------------------------------------------------------------------------
static __device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Stockham FFT of 1,024 points per block in shared memory, radix 2.
extern "C" __global__ void fft_1024(const float2* __restrict__ in, float2* __restrict__ out)
{
    __shared__ float2 s[2][1024];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 1024;
    s[0][t] = in[base + t];
    s[0][t + 512] = in[base + t + 512];
    int now = 0;
    for (int half = 1; half < 1024; half *= 2, now ^= 1) {
        __syncthreads();
        const int k = t & (half - 1);
        float2 w;
        __sincosf(-3.14159265f * k / half, &w.y, &w.x);
        const float2 a = s[now][t], b = times(w, s[now][t + 512]);
        const int to = 2 * t - k;
        s[now ^ 1][to] = make_float2(a.x + b.x, a.y + b.y);
        s[now ^ 1][to + half] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
    out[base + t] = s[now][t];
    out[base + t + 512] = s[now][t + 512];
}

// One radix-4 pass over global memory (Stockham); `n` points per transform, `done` of them combined so far.
extern "C" __global__ void fft_radix4_pass(const float2* __restrict__ in, float2* __restrict__ out, int n, int done)
{
    const int t = thread_of_grid(), quarter = n / 4, k = t & (done - 1);
    float2 v[4];
    for (int r = 0; r < 4; ++r) {
        v[r] = in[t + r * quarter];
        float2 w;
        sincospif(-0.5f * k * r / done, &w.y, &w.x);
        v[r] = times(w, v[r]);
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    float2* to = out + (t - k) * 4 + k;
    to[0] = make_float2(a.x + c.x, a.y + c.y);
    to[done] = make_float2(b.x + d.x, b.y + d.y);
    to[2 * done] = make_float2(a.x - c.x, a.y - c.y);
    to[3 * done] = make_float2(b.x - d.x, b.y - d.y);
}

// Walsh-Hadamard transform of rows of 256: 8 values per lane, shuffles between lanes.
extern "C" __global__ void walsh_hadamard(float* data, int rows)
{
    const int row = thread_of_grid() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        v[k] = data[(size_t)row * 256 + k * 32 + lane];
#pragma unroll
    for (int h = 1; h < 8; h *= 2)
#pragma unroll
        for (int k = 0; k < 8; ++k)
            if ((k & h) == 0) {
                const float a = v[k], b = v[k + h];
                v[k] = a + b;
                v[k + h] = a - b;
            }
    for (int h = 1; h < 32; h *= 2)
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float other = __shfl_xor_sync(~0u, v[k], h);
            v[k] = lane & h ? other - v[k] : v[k] + other;
        }
#pragma unroll
    for (int k = 0; k < 8; ++k)
        data[(size_t)row * 256 + k * 32 + lane] = v[k];
}

__constant__ float cosines[64] = {
    0.353553f, 0.490393f, 0.461940f, 0.415735f, 0.353553f, 0.277785f, 0.191342f, 0.097545f,
    0.353553f, 0.415735f, 0.191342f, -0.097545f, -0.353553f, -0.490393f, -0.461940f, -0.277785f,
    0.353553f, 0.277785f, -0.191342f, -0.490393f, -0.353553f, 0.097545f, 0.461940f, 0.415735f,
    0.353553f, 0.097545f, -0.461940f, -0.277785f, 0.353553f, 0.415735f, -0.191342f, -0.490393f,
    0.353553f, -0.097545f, -0.461940f, 0.277785f, 0.353553f, -0.415735f, -0.191342f, 0.490393f,
    0.353553f, -0.277785f, -0.191342f, 0.490393f, -0.353553f, -0.097545f, 0.461940f, -0.415735f,
    0.353553f, -0.415735f, 0.191342f, 0.097545f, -0.353553f, 0.490393f, -0.461940f, 0.277785f,
    0.353553f, -0.490393f, 0.461940f, -0.415735f, 0.353553f, -0.277785f, 0.191342f, -0.097545f};

// Discrete cosine transform of 8 x 8 tiles; four tiles per block of 8 x 8 x 4.
extern "C" __global__ void cosine_transform(const float* __restrict__ in, float* __restrict__ out, int width)
{
    __shared__ float a[4][8][9], b[4][8][9];
    const int u = threadIdx.x, v = threadIdx.y, tile = threadIdx.z;
    const int x = (blockIdx.x * 4 + tile) * 8 + u, y = blockIdx.y * 8 + v;
    a[tile][v][u] = in[y * width + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += a[tile][v][k] * cosines[k * 8 + u];
    b[tile][v][u] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += b[tile][k][u] * cosines[k * 8 + v];
    out[y * width + x] = sum;
}

// Smith-Waterman scores; one block per pair, one thread per column, one anti-diagonal per step.
extern "C" __global__ void smith_waterman(const unsigned char* __restrict__ queries, const unsigned char* __restrict__ subjects, int* best, int rows)
{
    __shared__ int score[3][257];
    const int t = threadIdx.x + 1;
    const unsigned char letter = queries[blockIdx.x * 256 + threadIdx.x] & 3;
    const unsigned char* subject = subjects + (size_t)blockIdx.x * rows;
    for (int k = 0; k < 3; ++k)
        score[k][t] = score[k][0] = 0;
    int most = 0;
    for (int step = 0; step < rows + 255; ++step) {
        __syncthreads();
        const int row = step - threadIdx.x;
        int* now = score[step % 3];
        const int* last = score[(step + 2) % 3];
        const int* before = score[(step + 1) % 3];
        if (row >= 0 && row < rows) {
            const int match = (subject[row] & 3) == letter ? 2 : -1;
            const int v = max(0, max(before[t - 1] + match, max(last[t - 1], last[t]) - 1));
            now[t] = v;
            most = max(most, v);
        }
    }
    atomicMax(best + blockIdx.x, most);
}
