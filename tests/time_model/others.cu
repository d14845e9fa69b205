// Kernels as in courses, the fourth collection (docs/time-model.md).

// ---- one element a thread ------------------------------------------------------------------------------
extern "C" __global__ void triad_of_doubles(const double* a, const double* b, double* c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + 3.0 * b[i];
}

extern "C" __global__ void rgb_to_grey(const float3* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.3f * in[i].x + 0.59f * in[i].y + 0.11f * in[i].z;
}

extern "C" __global__ void gelu(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.5f * x[i] * (1 + tanhf(0.797885f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}

extern "C" __global__ void clamp_branches(const int* x, int* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int v = x[i] & 255;
    if (v < 64)
        y[i] = v * v;
    else if (v < 128)
        y[i] = v / 3;
    else
        y[i] = 255 - v;
}

extern "C" __global__ void interleave(const float* a, const float* b, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}

extern "C" __global__ void rotate_quaternions(const float4* q, const float* v, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 a = q[i];
    const float x = v[3 * i], y = v[3 * i + 1], z = v[3 * i + 2];
    const float tx = 2 * (a.y * z - a.z * y), ty = 2 * (a.z * x - a.x * z), tz = 2 * (a.x * y - a.y * x);
    out[3 * i] = x + a.w * tx + a.y * tz - a.z * ty;
    out[3 * i + 1] = y + a.w * ty + a.z * tx - a.x * tz;
    out[3 * i + 2] = z + a.w * tz + a.x * ty - a.y * tx;
}

extern "C" __global__ void embedding(const float* table, const int* words, float* out, int width, int mask)
{
    const float* row = table + (size_t)(words[blockIdx.x] & mask) * width;
    for (int j = threadIdx.x; j < width; j += blockDim.x)
        out[(size_t)blockIdx.x * width + j] = row[j];
}

// ---- a row a thread --------------------------------------------------------------------------------------
extern "C" __global__ void prefix_of_rows(float* a, int columns)
{
    float* row = a + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * columns;
    for (int j = 1; j < columns; ++j)
        row[j] += row[j - 1];
}

extern "C" __global__ void scale_rows(float* a, const float* by, int columns)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < columns; ++j)
        a[(size_t)r * columns + j] *= by[j];
}

extern "C" __global__ void insertion_sort_of_rows(const int* from, int* to, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    int* row = to + first;
    for (int i = 0; i < n; ++i) {
        const int v = from[first + i];
        int j = i;
        for (; j > 0 && row[j - 1] > v; --j)
            row[j] = row[j - 1];
        row[j] = v;
    }
}

extern "C" __global__ void sort_in_local(const int* a, int* b, int total)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int v[24];
    for (int i = 0; i < 24; ++i)
        v[i] = a[i * total + t];
    for (int i = 1; i < 24; ++i) {
        const int x = v[i];
        int j = i;
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            --j;
        }
        v[j] = x;
    }
    for (int i = 0; i < 24; ++i)
        b[i * total + t] = v[i];
}

extern "C" __global__ void count_in_local(const unsigned char* text, int* most, int length)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int count[16] = {};
    for (int i = 0; i < length; ++i)
        ++count[text[t * length + i] & 15];
    int best = 0;
    for (int k = 0; k < 16; ++k)
        best = max(best, count[k]);
    most[t] = best;
}

extern "C" __global__ void thomas(const float* lower, const float* main, const float* upper, float* c, float* x, int n, int systems)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    c[s] = upper[s] / main[s];
    x[s] = x[s] / main[s];
    for (int i = 1; i < n; ++i) {
        const int at = i * systems + s;
        const float m = 1 / (main[at] - lower[at] * c[at - systems]);
        c[at] = upper[at] * m;
        x[at] = (x[at] - lower[at] * x[at - systems]) * m;
    }
    for (int i = n - 2; i >= 0; --i)
        x[i * systems + s] -= c[i * systems + s] * x[(i + 1) * systems + s];
}

extern "C" __global__ void gram_column(float* a, const float* q, int rows, int columns)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    float dot = 0;
    for (int r = 0; r < rows; ++r)
        dot += q[r] * a[r * columns + c];
    for (int r = 0; r < rows; ++r)
        a[r * columns + c] -= dot * q[r];
}

// ---- walks and searches ----------------------------------------------------------------------------------
extern "C" __global__ void hash_probe(const unsigned* keys, const unsigned* table, int* found, int n, unsigned mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i];
    unsigned at = key * 2654435761u & mask;
    int steps = 0;
    while (steps < 8 && (table[at] ^ key) % 3 != 0) {
        at = (at + 1) & mask;
        ++steps;
    }
    found[i] = steps;
}

extern "C" __global__ void two_tables(const int* first, const int* second, const int* from, int* out, int n, int steps, int mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = from[i] & mask;
    for (int k = 0; k < steps; ++k)
        at = ((at & 1) ? first[at] : second[at]) & mask;
    out[i] = at;
}

extern "C" __global__ void automaton(const unsigned char* text, const int* next, int* state, int length)
{
    __shared__ int table[256];
    table[threadIdx.x] = next[threadIdx.x] & 15;
    __syncthreads();
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int i = 0; i < length; ++i)
        s = table[s * 16 + (text[(size_t)i * gridDim.x * blockDim.x + t] & 15)];
    state[t] = s;
}

extern "C" __global__ void union_find_roots(const int* parent, int* root, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = i;
    for (int k = 0; k < 6; ++k) {
        const int up = (unsigned)parent[at] % (unsigned)n;
        if (up >= at)
            break;
        at = up;
    }
    root[i] = at;
}

// ---- tiles -----------------------------------------------------------------------------------------------
extern "C" __global__ void product_of_strips(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[32][33], bs[32][32];
    const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum[4] = {};
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int j = 0; j < 32; j += 8) {
            as[threadIdx.y + j][threadIdx.x] = a[(row + j) * n + k0 + threadIdx.x];
            bs[threadIdx.y + j][threadIdx.x] = b[(k0 + threadIdx.y + j) * n + column];
        }
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            for (int j = 0; j < 4; ++j)
                sum[j] += as[threadIdx.y + 8 * j][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j)
        c[(row + 8 * j) * n + column] = sum[j];
}

extern "C" __global__ void product_of_doubles(const double* a, const double* b, double* c, int n)
{
    __shared__ double as[16][16], bs[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    double sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void symmetric_product(const float* a, float* c, int n, int k)
{
    __shared__ float rows[16][17], columns[16][17];
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        rows[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 16 + threadIdx.y) * k + k0 + threadIdx.x];
        columns[threadIdx.y][threadIdx.x] = a[(blockIdx.x * 16 + threadIdx.y) * k + k0 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += rows[threadIdx.y][i] * columns[threadIdx.x][i];
        __syncthreads();
    }
    c[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = sum;
}

extern "C" __global__ void sobel_tiled(const float* in, float* out, int width, int height)
{
    __shared__ float t[18][34];
    const int left = blockIdx.x * 32 - 1, top = blockIdx.y * 16 - 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 32 * 16) {
        const int y = min(max(top + i / 34, 0), height - 1), x = min(max(left + i % 34, 0), width - 1);
        t[i / 34][i % 34] = in[y * width + x];
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const float gx = t[y - 1][x + 1] + 2 * t[y][x + 1] + t[y + 1][x + 1] - t[y - 1][x - 1] - 2 * t[y][x - 1] - t[y + 1][x - 1];
    const float gy = t[y + 1][x - 1] + 2 * t[y + 1][x] + t[y + 1][x + 1] - t[y - 1][x - 1] - 2 * t[y - 1][x] - t[y - 1][x + 1];
    out[(top + y) * width + left + x] = sqrtf(gx * gx + gy * gy);
}

extern "C" __global__ void box_of_rows(const float* in, float* out, int width, int radius)
{
    extern __shared__ float line[];
    const float* row = in + (size_t)blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        line[i] = row[i];
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float s = 0;
        for (int d = -radius; d <= radius; ++d)
            s += line[min(max(i + d, 0), width - 1)];
        out[(size_t)blockIdx.x * width + i] = s / (2 * radius + 1);
    }
}

// ---- blocks that work together ---------------------------------------------------------------------------
extern "C" __global__ void scan_in_shared(const int* in, int* out)
{
    __shared__ int a[2][512];
    const int t = threadIdx.x;
    int now = 0;
    a[0][t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        a[1 - now][t] = a[now][t] + (t >= d ? a[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = a[now][t];
}

extern "C" __global__ void layer_norm(const float* x, float* y, int width)
{
    __shared__ float part[2][32];
    const float* row = x + (size_t)blockIdx.x * width;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        s += row[i];
        q += row[i] * row[i];
    }
    for (int d = 16; d; d /= 2) {
        s += __shfl_xor_sync(~0u, s, d);
        q += __shfl_xor_sync(~0u, q, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[0][threadIdx.x / 32] = s;
        part[1][threadIdx.x / 32] = q;
    }
    __syncthreads();
    s = q = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
        s += part[0][w];
        q += part[1][w];
    }
    const float mean = s / width, scale = rsqrtf(q / width - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        y[(size_t)blockIdx.x * width + i] = (row[i] - mean) * scale;
}

extern "C" __global__ void bitonic_block(int* a)
{
    __shared__ int s[1024];
    const int t = threadIdx.x;
    for (int i = t; i < 1024; i += 512)
        s[i] = a[blockIdx.x * 1024 + i];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            const int low = 2 * t - (t & (j - 1)), high = low + j;
            const bool up = (low & k) == 0;
            const int x = s[low], y = s[high];
            if ((x > y) == up) {
                s[low] = y;
                s[high] = x;
            }
        }
    __syncthreads();
    for (int i = t; i < 1024; i += 512)
        a[blockIdx.x * 1024 + i] = s[i];
}

extern "C" __global__ void histogram_of_warps(const unsigned* x, int* bins, int n)
{
    __shared__ int own[8][64];
    for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x)
        (&own[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[threadIdx.x / 32][x[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        int s = 0;
        for (int w = 0; w < 8; ++w)
            s += own[w][threadIdx.x];
        atomicAdd(bins + threadIdx.x, s);
    }
}

extern "C" __global__ void variance_by_atomics(const double* x, double* sums, int n)
{
    double s = 0, q = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        s += x[i];
        q += x[i] * x[i];
    }
    for (int d = 16; d; d /= 2) {
        s += __shfl_down_sync(~0u, s, d);
        q += __shfl_down_sync(~0u, q, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sums, s);
        atomicAdd(sums + 1, q);
    }
}

extern "C" __global__ void edges_to_degrees(const int* from, const int* to, int* degree, int edges, int mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges)
        return;
    atomicAdd(degree + (from[i] & mask), 1);
    atomicAdd(degree + (to[i] & mask), 1);
}

// ---- arithmetic ------------------------------------------------------------------------------------------
extern "C" __global__ void newton_roots(const float* a, float* x, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float r = 1;
    for (int k = 0; k < steps; ++k)
        r = 0.5f * (r + a[i] / r);
    x[i] = r;
}

extern "C" __global__ void logistic_map(const double* r, double* x, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = 0.5;
    for (int k = 0; k < steps; ++k)
        v = (3.0 + r[i]) * v * (1 - v);
    x[i] = v;
}

extern "C" __global__ void fourier_sum(const float* c, float* y, int terms, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 0;
    for (int k = 0; k < terms; ++k)
        s += c[k] * __sinf(k * 0.001f * i);
    y[i] = s;
}

extern "C" __global__ void population(const unsigned long long* x, int* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long v = x[i];
    int s = 0;
    for (int k = 0; k < 8; ++k) {
        s += __popcll(v) * (k + 1);
        v = v * 6364136223846793005ull + 1442695040888963407ull;
    }
    y[i] = s;
}

extern "C" __global__ void determinants(const float* m, float* d, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a[4][4];
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            a[r][c] = m[(r * 4 + c) * n + i];
    float det = 1;
    for (int k = 0; k < 4; ++k) {
        det *= a[k][k];
        const float inverse = 1 / a[k][k];
        for (int r = k + 1; r < 4; ++r) {
            const float f = a[r][k] * inverse;
            for (int c = k + 1; c < 4; ++c)
                a[r][c] -= f * a[k][c];
        }
    }
    d[i] = det;
}
