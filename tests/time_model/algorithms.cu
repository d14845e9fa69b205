// Kernels as in courses, each of which needs several resources.
#ifndef TYPE
#define TYPE float
#endif
#ifndef TILE
#define TILE 16
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// Interleaved addressing with a divergent branch, as in the first version of many lectures on reductions.
extern "C" __global__ void reduce_modulo(const float* in, float* out)
{
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        if (t % (2 * distance) == 0)
            s[t] += s[t + distance];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_conflicts(const float* in, float* out)
{
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        const int at = 2 * distance * t;
        if (at < BLOCK)
            s[at] += s[at + distance];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_halves(const float* in, float* out)
{
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        if (t < distance)
            s[t] += s[t + distance];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_loop(const float* in, float* out, int n)
{
    __shared__ float s[BLOCK / 32];
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        sum += in[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK / 32; ++w)
            sum += s[w];
        atomicAdd(out, sum);
    }
}

extern "C" __global__ void scan_kogge_stone(const float* in, float* out)
{
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        __syncthreads();
        const float before = t >= distance ? s[t - distance] : 0;
        __syncthreads();
        s[t] += before;
    }
    out[blockIdx.x * BLOCK + t] = s[t];
}

extern "C" __global__ void scan_brent_kung(const float* in, float* out)
{
    __shared__ float s[2 * BLOCK];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 2 * BLOCK + t];
    s[t + BLOCK] = in[blockIdx.x * 2 * BLOCK + BLOCK + t];
    for (int distance = 1; distance <= BLOCK; distance *= 2) {
        __syncthreads();
        const int at = (t + 1) * 2 * distance - 1;
        if (at < 2 * BLOCK)
            s[at] += s[at - distance];
    }
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        __syncthreads();
        const int at = (t + 1) * 2 * distance - 1;
        if (at + distance < 2 * BLOCK)
            s[at + distance] += s[at];
    }
    __syncthreads();
    out[blockIdx.x * 2 * BLOCK + t] = s[t];
    out[blockIdx.x * 2 * BLOCK + BLOCK + t] = s[t + BLOCK];
}

extern "C" __global__ void stencil_1d(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 || i >= n - 3)
        return;
    float sum = 0;
    for (int k = -3; k <= 3; ++k)
        sum += in[i + k];
    out[i] = sum / 7;
}

extern "C" __global__ void jacobi(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const int i = y * width + x;
    out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

extern "C" __global__ void heat_3d(const float* in, float* out, int side)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1)
        return;
    const int i = (z * side + y) * side + x;
    out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side] + in[i - side * side] +
                             in[i + side * side] - 6 * in[i]);
}

__constant__ float mask[25];
extern "C" __global__ void convolve(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                sum += mask[(dy + 2) * 5 + dx + 2] * in[(y + dy) * width + x + dx];
    out[y * width + x] = sum;
}

extern "C" __global__ void convolve_tiled(const float* in, float* out, int width, int height)
{
    __shared__ float tile[TILE + 4][TILE + 4];
    const int left = blockIdx.x * TILE - 2, top = blockIdx.y * TILE - 2;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 4) * (TILE + 4); i += TILE * TILE) {
        const int x = left + i % (TILE + 4), y = top + i / (TILE + 4);
        tile[i / (TILE + 4)][i % (TILE + 4)] = x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < 5; ++dy)
        for (int dx = 0; dx < 5; ++dx)
            sum += mask[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    const int x = left + 2 + threadIdx.x, y = top + 2 + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = sum;
}

extern "C" __global__ void matmul(const TYPE* a, const TYPE* b, TYPE* c, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    TYPE sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Neighbouring threads compute neighbouring rows.
extern "C" __global__ void matmul_columns(const TYPE* a, const TYPE* b, TYPE* c, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    TYPE sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled(const TYPE* a, const TYPE* b, TYPE* c, int n)
{
    __shared__ TYPE as[TILE][TILE], bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    TYPE sum = 0;
    for (int first = 0; first < n; first += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// A thread computes four results in one column.
extern "C" __global__ void matmul_coarse(const TYPE* a, const TYPE* b, TYPE* c, int n)
{
    __shared__ TYPE as[4 * TILE][TILE], bs[TILE][TILE];
    const int row = blockIdx.y * 4 * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    TYPE sum[4] = {};
    for (int first = 0; first < n; first += TILE) {
        for (int r = 0; r < 4; ++r)
            as[threadIdx.y + r * TILE][threadIdx.x] = a[(row + r * TILE) * n + first + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            const TYPE y = bs[k][threadIdx.x];
            for (int r = 0; r < 4; ++r)
                sum[r] += as[threadIdx.y + r * TILE][k] * y;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; ++r)
        c[(row + r * TILE) * n + column] = sum[r];
}

extern "C" __global__ void n_body(const float4* bodies, float4* forces, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int j = 0; j < n; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
        const float factor = other.w * inverse * inverse * inverse;
        x += dx * factor, y += dy * factor, z += dz * factor;
    }
    forces[i] = make_float4(x, y, z, 0);
}

extern "C" __global__ void n_body_tiled(const float4* bodies, float4* forces, int n)
{
    __shared__ float4 tile[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += BLOCK) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < BLOCK; ++j) {
            const float4 other = tile[j];
            const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float factor = other.w * inverse * inverse * inverse;
            x += dx * factor, y += dy * factor, z += dz * factor;
        }
        __syncthreads();
    }
    forces[i] = make_float4(x, y, z, 0);
}

// A sparse matrix with 1 to 2 * mean - 1 entries per row, in random columns; a thread or a warp per row.
__device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x;
}
extern "C" __global__ void sparse_rows(const float* values, const float* x, float* y, int rows, int mean, unsigned mask)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int entries = 1 + mixed(row) % (2 * mean - 1);
    float sum = 0;
    for (int k = 0; k < entries; ++k)
        sum += values[row * 2 * mean + k] * x[mixed(row * 64 + k) & mask];
    y[row] = sum;
}

extern "C" __global__ void sparse_warps(const float* values, const float* x, float* y, int rows, int mean, unsigned mask)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const int entries = 1 + mixed(row) % (2 * mean - 1);
    float sum = 0;
    for (int k = lane; k < entries; k += 32)
        sum += values[row * 2 * mean + k] * x[mixed(row * 64 + k) & mask];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void histogram_global(const unsigned* in, unsigned* bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(bins + (in[i] >> 24), 1u);
}

extern "C" __global__ void histogram_shared(const unsigned* in, unsigned* bins, int n)
{
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(own + (in[i] >> 24), 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(bins + b, own[b]);
}

extern "C" __global__ void mandelbrot(int* out, int width, int height, int most)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const float a = -2 + 3.0f * column / width, b = -1.5f + 3.0f * row / height;
    float x = 0, y = 0;
    int step = 0;
    while (step < most && x * x + y * y < 4) {
        const float next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
        ++step;
    }
    out[row * width + column] = step;
}

extern "C" __global__ void options(const float* price, const float* strike, const float* years, float* call, float* put, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float s = 20 + 10 * fabsf(price[i]), k = 20 + 10 * fabsf(strike[i]), t = 0.5f + fabsf(years[i]);
    const float root = sqrtf(t), d1 = (logf(s / k) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    const float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), discount = expf(-0.02f * t);
    call[i] = s * n1 - k * discount * n2;
    put[i] = k * discount * (1 - n2) - s * (1 - n1);
}

extern "C" __global__ void monte_carlo(unsigned* hits, int rounds)
{
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 12345u, inside = 0;
    for (int round = 0; round < rounds; ++round) {
        state = state * 1664525u + 1013904223u;
        const float x = (state >> 8) * 5.9604645e-8f;
        state = state * 1664525u + 1013904223u;
        const float y = (state >> 8) * 5.9604645e-8f;
        inside += x * x + y * y < 1;
    }
    hits[blockIdx.x * blockDim.x + threadIdx.x] = inside;
}

extern "C" __global__ void softmax(const float* in, float* out, int columns)
{
    __shared__ float s[BLOCK];
    const float* row = in + (size_t)blockIdx.x * columns;
    float most = -1e30f;
    for (int c = threadIdx.x; c < columns; c += BLOCK)
        most = fmaxf(most, row[c]);
    s[threadIdx.x] = most;
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + distance]);
    }
    __syncthreads();
    most = s[0];
    __syncthreads();
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += BLOCK)
        sum += expf(row[c] - most);
    s[threadIdx.x] = sum;
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            s[threadIdx.x] += s[threadIdx.x + distance];
    }
    __syncthreads();
    sum = s[0];
    for (int c = threadIdx.x; c < columns; c += BLOCK)
        out[(size_t)blockIdx.x * columns + c] = expf(row[c] - most) / sum;
}

extern "C" __global__ void bitonic(unsigned* data)
{
    __shared__ unsigned s[2 * BLOCK];
    unsigned* own = data + blockIdx.x * 2 * BLOCK;
    s[threadIdx.x] = own[threadIdx.x];
    s[threadIdx.x + BLOCK] = own[threadIdx.x + BLOCK];
    for (int size = 2; size <= 2 * BLOCK; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int low = 2 * threadIdx.x - (threadIdx.x & (distance - 1)), high = low + distance;
            const bool up = (low & size) == 0;
            const unsigned a = s[low], b = s[high];
            if ((a > b) == up) {
                s[low] = b;
                s[high] = a;
            }
        }
    __syncthreads();
    own[threadIdx.x] = s[threadIdx.x];
    own[threadIdx.x + BLOCK] = s[threadIdx.x + BLOCK];
}

extern "C" __global__ void grey(const uchar3* in, unsigned char* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uchar3 p = in[i];
    out[i] = 0.21f * p.x + 0.71f * p.y + 0.07f * p.z;
}

struct Particle {
    float x, y, z, vx, vy, vz, mass, age;
};
extern "C" __global__ void particles(Particle* all, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle& p = all[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
}

extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            alive += in[(y + dy + height) % height * width + (x + dx + width) % width] & 1;
    const int me = in[y * width + x] & 1;
    out[y * width + x] = alive == 3 || (alive == 4 && me);
}

extern "C" __global__ void shortest_paths(int* distance, int n, int k)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    const int through = distance[i * n + k] + distance[k * n + j];
    if (through < distance[i * n + j])
        distance[i * n + j] = through;
}

extern "C" __global__ void binary_search(const unsigned* sorted, const unsigned* wanted, unsigned* out, unsigned n, int each)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; ++k) {
        const unsigned value = wanted[t * each + k] % n;
        unsigned low = 0, high = n;
        while (low < high) {
            const unsigned middle = low + (high - low) / 2;
            if (sorted[middle] < value)
                low = middle + 1;
            else
                high = middle;
        }
        out[t * each + k] = low;
    }
}
