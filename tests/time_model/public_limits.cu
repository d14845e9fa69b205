// Public idioms near a limit: many registers, local arrays, much shared memory, a single block, divergent loops.
static __device__ __forceinline__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ int threads_of_grid() { return gridDim.x * blockDim.x; }

// ---- registers ---------------------------------------------------------------------------------------
// Second moments of eight channels: 36 sums per thread.
static __device__ __forceinline__ void add_moments(const float* __restrict__ in, float* out, int n)
{
    float sum[36] = {};
    for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
        float v[8];
#pragma unroll
        for (int c = 0; c < 8; ++c)
            v[c] = in[(size_t)c * n + i];
        int k = 0;
#pragma unroll
        for (int r = 0; r < 8; ++r)
#pragma unroll
            for (int c = 0; c <= r; ++c)
                sum[k++] += v[r] * v[c];
    }
#pragma unroll
    for (int k = 0; k < 36; ++k) {
        for (int d = 16; d; d /= 2)
            sum[k] += __shfl_xor_sync(~0u, sum[k], d);
        if (threadIdx.x % 32 == 0)
            atomicAdd(out + k, sum[k]);
    }
}
extern "C" __global__ void __launch_bounds__(256, 1) moments(const float* in, float* out, int n) { add_moments(in, out, n); }
extern "C" __global__ void __launch_bounds__(256, 8) moments_in_32_registers(const float* in, float* out, int n) { add_moments(in, out, n); }

// A filter of 32 taps along each thread's signal; the window stays in registers as far as they suffice.
extern "C" __global__ void __launch_bounds__(1024, 2) filter_32(const float* __restrict__ in, const float* __restrict__ taps, float* __restrict__ out, int signals, int length)
{
    const int s = thread_of_grid();
    float window[32];
#pragma unroll
    for (int k = 0; k < 32; ++k)
        window[k] = in[(size_t)k * signals + s];
    for (int i = 32; i < length; i += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            float sum = 0;
#pragma unroll
            for (int j = 0; j < 32; ++j)
                sum += taps[j] * window[(k + j) % 32];
            out[(size_t)(i - 32 + k) * signals + s] = sum;
            window[k] = in[(size_t)(i + k) * signals + s];
        }
    }
}

__constant__ unsigned sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ __forceinline__ unsigned rotated(unsigned v, int by) { return __funnelshift_r(v, v, by); }

// SHA-256 of one 64-byte chunk per thread (the compression function).
extern "C" __global__ void __launch_bounds__(256, 4) sha256_chunks(const uint4* __restrict__ chunks, uint4* __restrict__ digests, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    unsigned w[16];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const uint4 v = chunks[4 * i + k];
        w[4 * k] = v.x, w[4 * k + 1] = v.y, w[4 * k + 2] = v.z, w[4 * k + 3] = v.w;
    }
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int k = 0; k < 64; ++k) {
        if (k >= 16) {
            const unsigned p = w[(k + 1) & 15], q = w[(k + 14) & 15];
            w[k & 15] += (rotated(p, 7) ^ rotated(p, 18) ^ p >> 3) + w[(k + 9) & 15] + (rotated(q, 17) ^ rotated(q, 19) ^ q >> 10);
        }
        const unsigned t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + sha_constants[k] + w[k & 15];
        const unsigned t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    digests[2 * i] = make_uint4(a + 0x6a09e667, b + 0xbb67ae85, c + 0x3c6ef372, d + 0xa54ff53a);
    digests[2 * i + 1] = make_uint4(e + 0x510e527f, f + 0x9b05688c, g + 0x1f83d9ab, h + 0x5be0cd19);
}

// Products of integers of 256 bits, limbs interleaved between threads.
extern "C" __global__ void multiply_256_bits(const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* __restrict__ c, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    unsigned x[8], y[8], r[16] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        x[k] = a[k * n + i];
        y[k] = b[k * n + i];
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        unsigned carry = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const unsigned long long t = (unsigned long long)x[j] * y[k] + r[j + k] + carry;
            r[j + k] = (unsigned)t;
            carry = t >> 32;
        }
        r[j + 8] = carry;
    }
#pragma unroll
    for (int k = 0; k < 16; ++k)
        c[k * n + i] = r[k];
}

// ---- local memory ------------------------------------------------------------------------------------
// Edit distance of words of 32 letters; one pair and one row of the table per thread.
extern "C" __global__ void edit_distance(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, int* __restrict__ distance, int letters)
{
    const int t = thread_of_grid();
    const unsigned char *x = a + (size_t)t * letters, *y = b + (size_t)t * letters;
    unsigned char row[64];
    for (int j = 0; j <= letters; ++j)
        row[j] = j;
    for (int i = 1; i <= letters; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= letters; ++j) {
            const int above = row[j];
            row[j] = min(diagonal + ((x[i - 1] ^ y[j - 1]) & 3 ? 1 : 0), min(above, (int)row[j - 1]) + 1);
            diagonal = above;
        }
    }
    distance[t] = row[letters];
}

// Counts the points within a distance, in a search tree that halves a sorted array; each thread has a stack of ranges.
extern "C" __global__ void count_in_range(const float* __restrict__ points, const float* __restrict__ centre, int* __restrict__ count, float radius, int size, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const float middle = fabsf(centre[i]) * size, low = middle - radius, high = middle + radius;
    int2 stack[24];
    int top = 0, found = 0;
    stack[top++] = make_int2(0, size);
    while (top > 0) {
        const int2 range = stack[--top];
        const int node = (range.x + range.y) / 2;
        const float key = points[node];
        found += key >= low && key <= high;
        if (low <= key && range.x < node)
            stack[top++] = make_int2(range.x, node);
        if (high >= key && node + 1 < range.y)
            stack[top++] = make_int2(node + 1, range.y);
    }
    count[i] = found;
}

// ---- one block, or much shared memory ----------------------------------------------------------------
// Shortest paths between all pairs of a small graph in dynamic shared memory; one graph per block.
extern "C" __global__ void floyd_warshall(const float* __restrict__ in, float* __restrict__ out, int n)
{
    extern __shared__ float distance[];
    const size_t base = (size_t)blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        distance[i] = fabsf(in[base + i]);
    for (int k = 0; k < n; ++k) {
        __syncthreads();
        for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
            const float through = distance[i / n * n + k] + distance[k * n + i % n];
            if (through < distance[i])
                distance[i] = through;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        out[base + i] = distance[i];
}

static __device__ __forceinline__ double sum_of_block(double v)
{
    __shared__ double part[32];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < blockDim.x / 32; ++w)
        v += part[w];
    return v;
}

// Conjugate gradients for -u'' + u = f in one block; one unknown per thread.
extern "C" __global__ void conjugate_gradients(const double* __restrict__ right, double* __restrict__ u, int steps)
{
    __shared__ double direction[1026];
    const int t = threadIdx.x;
    double x = 0, r = right[blockIdx.x * blockDim.x + t], p = r, rr = sum_of_block(r * r);
    if (t == 0)
        direction[0] = direction[blockDim.x + 1] = 0;
    for (int k = 0; k < steps; ++k) {
        direction[t + 1] = p;
        __syncthreads();
        const double ap = 3 * p - direction[t] - direction[t + 2];
        const double alpha = rr / sum_of_block(p * ap);
        x += alpha * p;
        r -= alpha * ap;
        const double next = sum_of_block(r * r);
        p = r + next / rr * p;
        rr = next;
        if (rr < 1e-280)
            break;
    }
    u[blockIdx.x * blockDim.x + t] = x;
}

// Parallel cyclic reduction of tridiagonal systems of up to 512 unknowns; one system per block.
extern "C" __global__ void cyclic_reduction(const float* __restrict__ lower, const float* __restrict__ upper, const float* __restrict__ right, float* __restrict__ x)
{
    __shared__ float a[512], b[512], c[512], d[512];
    const int t = threadIdx.x, n = blockDim.x;
    const size_t at = (size_t)blockIdx.x * n + t;
    a[t] = t ? lower[at] : 0;
    b[t] = 4;
    c[t] = t < n - 1 ? upper[at] : 0;
    d[t] = right[at];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        const int l = max(t - step, 0), r = min(t + step, n - 1);
        const float k1 = t - step >= 0 ? a[t] / b[l] : 0, k2 = t + step < n ? c[t] / b[r] : 0;
        const float na = -a[l] * k1, nb = b[t] - c[l] * k1 - a[r] * k2, nc = -c[r] * k2, nd = d[t] - d[l] * k1 - d[r] * k2;
        __syncthreads();
        a[t] = na, b[t] = nb, c[t] = nc, d[t] = nd;
    }
    x[at] = d[t] / b[t];
}

// The largest eigenvalue of a small symmetric matrix, by power iteration; one warp.
extern "C" __global__ void power_iteration(const float* __restrict__ matrix, float* eigenvalue, int steps)
{
    __shared__ float m[32][33], v[32];
    const int lane = threadIdx.x;
    for (int j = 0; j < 32; ++j)
        m[j][lane] = fabsf(matrix[j * 32 + lane] + matrix[lane * 32 + j]);
    v[lane] = 1;
    float norm = 0;
    for (int k = 0; k < steps; ++k) {
        __syncwarp();
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 32; ++j)
            sum += m[lane][j] * v[j];
        norm = sum * sum;
        for (int d = 16; d; d /= 2)
            norm += __shfl_xor_sync(~0u, norm, d);
        norm = sqrtf(norm);
        __syncwarp();
        v[lane] = sum / norm;
    }
    if (lane == 0)
        *eigenvalue = norm;
}

// ---- divergence and integers -------------------------------------------------------------------------
// Marches rays through a field of spheres, until they hit or leave.
extern "C" __global__ void march_rays(float* __restrict__ image, int width, int height, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float dx = (x - 0.5f * width) / height, dy = (y - 0.5f * height) / height, dz = 1;
    const float inverse = rsqrtf(dx * dx + dy * dy + 1);
    dx *= inverse, dy *= inverse, dz *= inverse;
    float t = 0;
    int k = 0;
    for (; k < most; ++k) {
        const float px = dx * t + 0.5f, py = dy * t + 0.5f, pz = dz * t;
        const float qx = px - floorf(px) - 0.5f, qy = py - floorf(py) - 0.5f, qz = pz - floorf(pz) - 0.5f;
        const float distance = sqrtf(qx * qx + qy * qy + qz * qz) - 0.25f;
        if (distance < 0.001f)
            break;
        t += distance;
    }
    image[y * width + x] = k < most ? 1 / (1 + t) : 0;
}

static __device__ __forceinline__ float lattice_noise(int x, int y, int z)
{
    unsigned h = x * 374761393u + y * 668265263u + z * 2147483647u;
    h = (h ^ h >> 13) * 1274126177u;
    return (h ^ h >> 16) * 2.3283064e-10f;
}

// Value noise in several octaves, trilinear.
extern "C" __global__ void fractal_noise(float* __restrict__ out, int width, int octaves)
{
    const int i = thread_of_grid();
    float x = i % width * 0.01f, y = i / width * 0.01f, z = 0.5f, sum = 0, weight = 0.5f;
    for (int o = 0; o < octaves; ++o) {
        const int ix = (int)floorf(x), iy = (int)floorf(y), iz = (int)floorf(z);
        float u = x - ix, v = y - iy, w = z - iz;
        u = u * u * (3 - 2 * u), v = v * v * (3 - 2 * v), w = w * w * (3 - 2 * w);
        float corner[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            corner[k] = lattice_noise(ix + (k & 1), iy + (k >> 1 & 1), iz + (k >> 2));
#pragma unroll
        for (int k = 0; k < 4; ++k)
            corner[k] = corner[2 * k] + u * (corner[2 * k + 1] - corner[2 * k]);
        const float a = corner[0] + v * (corner[1] - corner[0]), b = corner[2] + v * (corner[3] - corner[2]);
        sum += weight * (a + w * (b - a));
        weight *= 0.5f;
        x *= 2, y *= 2, z *= 2;
    }
    out[i] = sum;
}

// Conway's game of life on 64 cells per word, with bitwise adders.
extern "C" __global__ void life_bits(const unsigned long long* __restrict__ in, unsigned long long* __restrict__ out, int words, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words)
        return;
    unsigned long long one = 0, two = 0, four = 0;
    const auto add = [&](unsigned long long cells) {
        const unsigned long long carry = one & cells;
        one ^= cells;
        four |= two & carry;
        two ^= carry;
    };
    unsigned long long own = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned long long* row = in + (size_t)((y + dy + rows) % rows) * words;
        const unsigned long long here = row[x], left = row[(x + words - 1) % words], right = row[(x + 1) % words];
        add(here << 1 | left >> 63);
        add(here >> 1 | right << 63);
        if (dy == 0)
            own = here;
        else
            add(here);
    }
    out[(size_t)y * words + x] = two & ~four & (one | own);
}

// Miller-Rabin test of odd numbers of 63 bits, with Montgomery multiplication.
extern "C" __global__ void probable_primes(const unsigned long long* __restrict__ candidates, unsigned char* __restrict__ is_prime, int n)
{
    const int i = thread_of_grid();
    if (i >= n)
        return;
    const unsigned long long m = candidates[i] >> 1 | 1 | 1ull << 40;
    unsigned long long inverse = m;
    for (int k = 0; k < 5; ++k)
        inverse *= 2 - m * inverse;
    const auto product = [&](unsigned long long a, unsigned long long b) {
        const unsigned long long low = a * b, high = __umul64hi(a, b), reduced = __umul64hi(low * inverse, m);
        return high >= reduced ? high - reduced : high - reduced + m;
    };
    const unsigned long long one = (0ull - m) % m;
    unsigned long long base = one + one >= m ? one + one - m : one + one, power = one;
    unsigned long long odd = m - 1;
    const int twos = __ffsll(odd) - 1;
    for (odd >>= twos; odd; odd >>= 1) {
        if (odd & 1)
            power = product(power, base);
        base = product(base, base);
    }
    bool passes = power == one || power == m - one;
    for (int k = 1; k < twos && !passes; ++k) {
        power = product(power, power);
        passes = power == m - one;
    }
    is_prime[i] = passes;
}
