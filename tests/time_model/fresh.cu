// Kernels as in courses, none of which is in the calibration set. The finished model was judged by them.

// ---- arithmetic
#ifndef TYPE
#define TYPE float
#endif
extern "C" __global__ void polynomial(const TYPE* x, TYPE* y, int n, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const TYPE at = x[i];
    TYPE sum = 1;
    for (int term = 0; term < terms; ++term)
        sum = sum * at + (TYPE)0.25;
    y[i] = sum;
}

extern "C" __global__ void waves(const float* in, float* out, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], sum = 0;
    for (int round = 1; round <= rounds; ++round)
        sum += __sinf(x * round) * __expf(-x * round);
    out[i] = sum;
}

extern "C" __global__ void hash_rounds(const unsigned* in, unsigned* out, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i], y = i;
    for (int round = 0; round < rounds; ++round) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        y = y * 1664525u + x;
    }
    out[i] = x ^ y;
}

// The threads of a warp take different numbers of steps.
extern "C" __global__ void collatz(unsigned* steps, unsigned first)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = first + i, count = 0;
    while (x > 1 && count < 300) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        ++count;
    }
    steps[i] = count;
}

extern "C" __global__ void trial_division(unsigned* is_prime, unsigned first)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, candidate = first + i;
    unsigned prime = 1;
    for (unsigned divisor = 2; divisor * divisor <= candidate; ++divisor)
        if (candidate % divisor == 0) {
            prime = 0;
            break;
        }
    is_prime[i] = prime;
}

extern "C" __global__ void four_cases(const float* in, float* out, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int round = 0; round < rounds; ++round) {
        switch ((i + round) & 3) {
            case 0: x = x * 1.01f + 1; break;
            case 1: x = sqrtf(x + 2); break;
            case 2: x = x * x * 0.5f; break;
            default: x = 1 / (x + 1);
        }
    }
    out[i] = x;
}

// ---- memory
extern "C" __global__ void add_matrices(const float* a, const float* b, float* c, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
}

// Neighbouring threads are in neighbouring rows.
extern "C" __global__ void add_matrices_by_columns(const float* a, const float* b, float* c, int rows, int columns)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
}

// A permutation with scattered positions in a table of mask + 1 elements.
extern "C" __global__ void permuted(const float* table, float* out, unsigned mask, unsigned factor)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = i * factor;
    at ^= at >> 7;
    out[i] = table[at * 2654435761u & mask];
}

struct Body {
    float x, y, z, mass, vx, vy, vz, age;
};
extern "C" __global__ void ages(Body* bodies, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].age += 1;
}

extern "C" __global__ void matrix_times_vector(const float* matrix, const float* x, float* y, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int column = 0; column < columns; ++column)
        sum += matrix[row * columns + column] * x[column];
    y[row] = sum;
}

extern "C" __global__ void matrix_times_vector_by_warps(const float* matrix, const float* x, float* y, int rows,
                                                         int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int column = lane; column < columns; column += 32)
        sum += matrix[row * columns + column] * x[column];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, apart);
    if (lane == 0)
        y[row] = sum;
}

// A list with elements `stride` apart, followed by one thread of each block.
extern "C" __global__ void follow_list(const unsigned* next, unsigned* out, unsigned mask, unsigned stride, int steps)
{
    if (threadIdx.x != 0)
        return;
    unsigned at = blockIdx.x * 97;
    for (int step = 0; step < steps; ++step)
        at = (next[at & mask] + stride) & mask;
    out[blockIdx.x] = at;
}

extern "C" __global__ void blur_rows(const unsigned char* in, unsigned char* out, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < radius || x >= width - radius || y >= height)
        return;
    int sum = 0;
    for (int d = -radius; d <= radius; ++d)
        sum += in[y * width + x + d];
    out[y * width + x] = sum / (2 * radius + 1);
}

// ---- shared memory
#ifndef SIDE
#define SIDE 32
#endif
extern "C" __global__ void matrix_product(const TYPE* a, const TYPE* b, TYPE* c, int n)
{
    __shared__ TYPE tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    TYPE sum = 0;
    for (int first = 0; first < n; first += SIDE) {
        tile_a[threadIdx.y][threadIdx.x] = a[y * n + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < SIDE; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// The tile is read by columns: PAD decides whether banks conflict.
#ifndef PAD
#define PAD 0
#endif
extern "C" __global__ void column_sums(const float* in, float* out, int rounds)
{
    __shared__ float tile[32][32 + PAD];
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][threadIdx.x] = in[blockIdx.x * 1024 + y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
        for (int x = 0; x < 32; ++x)
            sum += tile[threadIdx.x][(x + round) & 31];
    out[(blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x] = sum;
}

extern "C" __global__ void block_sums(const float* in, float* out, int n)
{
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += in[i];
    part[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

extern "C" __global__ void odd_even_sort(unsigned* values)
{
    __shared__ unsigned s[512];
    const int t = threadIdx.x;
    s[2 * t] = values[blockIdx.x * 512 + 2 * t], s[2 * t + 1] = values[blockIdx.x * 512 + 2 * t + 1];
    for (int round = 0; round < 512; ++round) {
        __syncthreads();
        const int i = 2 * t + (round & 1);
        if (i + 1 < 512 && s[i] > s[i + 1]) {
            const unsigned larger = s[i];
            s[i] = s[i + 1], s[i + 1] = larger;
        }
    }
    __syncthreads();
    values[blockIdx.x * 512 + 2 * t] = s[2 * t], values[blockIdx.x * 512 + 2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ void large_tile(const float* in, float* out, int words, int rounds)
{
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
        sum += tile[(threadIdx.x * 3 + round * 17) % words];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- registers
extern "C" __global__ void __launch_bounds__(1024) many_sums(const float* in, float* out, int rounds)
{
    float sum[SIDE];
    for (int i = 0; i < SIDE; ++i)
        sum[i] = in[threadIdx.x * SIDE + i];
    for (int round = 0; round < rounds; ++round) {
        const float x = in[round];
#pragma unroll
        for (int i = 0; i < SIDE; ++i)
            sum[i] = sum[i] * x + sum[(i + 1) % SIDE];
    }
    float all = 0;
    for (int i = 0; i < SIDE; ++i)
        all += sum[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

// ---- atomics
extern "C" __global__ void count_in_classes(const unsigned* in, unsigned* classes, int n, unsigned number)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(classes + in[i] % number, 1u);
}

extern "C" __global__ void count_in_shared_classes(const unsigned* in, unsigned* classes, int n, unsigned number)
{
    __shared__ unsigned own[1024];
    for (int i = threadIdx.x; i < number; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(own + in[i] % number, 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < number; i += blockDim.x)
        atomicAdd(classes + i, own[i]);
}

extern "C" __global__ void weigh_in_shared_classes(const unsigned* in, float* classes, int n, unsigned number)
{
    __shared__ float own[256];
    for (int i = threadIdx.x; i < number; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(own + in[i] % number, 0.5f);
    __syncthreads();
    for (int i = threadIdx.x; i < number; i += blockDim.x)
        atomicAdd(classes + i, own[i]);
}

extern "C" __global__ void largest(const unsigned* in, unsigned* out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicMax(out, in[i]);
}

extern "C" __global__ void add_to_rows(const float* in, float* rows, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(rows + i / columns, in[i]);
}

// ---- of several kinds
extern "C" __global__ void nearest(const float2* points, const float2* centres, unsigned* out, int n, int number)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float2 p = points[i];
    float least = 1e30f;
    unsigned which = 0;
    for (int c = 0; c < number; ++c) {
        const float dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
        if (d < least)
            least = d, which = c;
    }
    out[i] = which;
}

extern "C" __global__ void find_word(const unsigned char* text, int* found, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 > n)
        return;
    if (text[i] == 'c' && text[i + 1] == 'u' && text[i + 2] == 'd' && text[i + 3] == 'a')
        atomicAdd(found, 1);
}

extern "C" __global__ void heat(const float* now, float* next, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const int i = y * width + x;
    next[i] = now[i] + 0.1f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i]);
}

extern "C" __global__ void heat_tiled(const float* now, float* next, int width, int height)
{
    __shared__ float tile[18][18];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int dy = threadIdx.y; dy < 18; dy += 16)
        for (int dx = threadIdx.x; dx < 18; dx += 16) {
            const int gx = min(max(int(blockIdx.x * 16) + dx - 1, 0), width - 1);
            const int gy = min(max(int(blockIdx.y * 16) + dy - 1, 0), height - 1);
            tile[dy][dx] = now[gy * width + gx];
        }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    const float* t = &tile[threadIdx.y + 1][threadIdx.x + 1];
    next[y * width + x] = t[0] + 0.1f * (t[-1] + t[1] + t[-18] + t[18] - 4 * t[0]);
}

extern "C" __global__ void walks(unsigned* out, int steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 747796405u + 1;
    int place = 0;
    for (int step = 0; step < steps; ++step) {
        state = state * 747796405u + 2891336453u;
        const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
        place += (word >> 22 ^ word) & 1 ? 1 : -1;
    }
    out[i] = place;
}
