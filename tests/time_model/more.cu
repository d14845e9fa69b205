// More kernels as in courses, written after the model was finished and compared with fresh.cu. The model was judged by them once
// more.

// ---- arrays of structures, of arrays
struct Particle {
    float x, y, z, vx, vy, vz, mass, age;
};
extern "C" __global__ void move_structs(Particle* particles, int n, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particles[i].x += particles[i].vx * dt;
    particles[i].y += particles[i].vy * dt;
    particles[i].z += particles[i].vz * dt;
}

extern "C" __global__ void move_arrays(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz, int n, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x[i] += vx[i] * dt;
    y[i] += vy[i] * dt;
    z[i] += vz[i] * dt;
}

extern "C" __global__ void luminance(const uchar4* pixels, unsigned char* grey, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 pixel = pixels[i];
        grey[i] = (unsigned char)(0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z);
    }
}

// ---- rows
// A block a row: greatest, then sum of exponentials, then the quotients.
extern "C" __global__ void softmax_of_rows(const float* in, float* out, int columns)
{
    __shared__ float part[256];
    const float* row = in + (size_t)blockIdx.x * columns;
    float greatest = -1e30f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        greatest = fmaxf(greatest, row[c]);
    part[threadIdx.x] = greatest;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    greatest = part[0];
    __syncthreads();
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(row[c] - greatest);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    sum = part[0];
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[(size_t)blockIdx.x * columns + c] = expf(row[c] - greatest) / sum;
}

// One warp per row: mean and variance with shuffles.
extern "C" __global__ void normalize_rows(const float* in, float* out, int rows, int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0, squares = 0;
    for (int c = lane; c < columns; c += 32) {
        const float x = in[row * columns + c];
        sum += x;
        squares += x * x;
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        squares += __shfl_xor_sync(0xffffffffu, squares, step);
    }
    const float mean = sum / columns, scale = rsqrtf(squares / columns - mean * mean + 1e-5f);
    for (int c = lane; c < columns; c += 32)
        out[row * columns + c] = (in[row * columns + c] - mean) * scale;
}

// One thread per row: neighbouring threads are one row apart.
extern "C" __global__ void greatest_of_row(const float* in, int* where, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int best = 0;
    for (int c = 1; c < columns; ++c)
        if (in[row * columns + c] > in[row * columns + best])
            best = c;
    where[row] = best;
}

// ---- reductions
extern "C" __global__ void least_by_atomics(const int* in, int* least, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMin(least, in[i]);
}

__device__ void greatest_float(float* at, float value)
{
    int* const bits = (int*)at;
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (old != assumed);
}
extern "C" __global__ void greatest_of_blocks(const float* in, float* greatest, int n)
{
    __shared__ float part[256];
    float mine = -1e30f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine = fmaxf(mine, in[i]);
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        greatest_float(greatest, part[0]);
}

extern "C" __global__ void sum_by_warps(const double* in, double* sum, int n)
{
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    for (int step = 16; step > 0; step /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

extern "C" __global__ void dot_of_threads(const float* a, const float* b, float* sum, int each)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    float mine = 0;
    for (int i = 0; i < each; ++i)
        mine += a[first + i] * b[first + i];
    atomicAdd(sum, mine);
}

// One thread adds all elements, as in first programs.
extern "C" __global__ void sum_by_one_thread(const float* in, float* sum, int n)
{
    float mine = 0;
    for (int i = 0; i < n; ++i)
        mine += in[i];
    *sum = mine;
}

extern "C" __global__ void mean_of_last_block(const float* in, float* parts, unsigned* arrived, float* mean, int n)
{
    __shared__ float part[256];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part[0];
        __threadfence();
        if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
            float sum = 0;
            for (int i = 0; i < gridDim.x; ++i)
                sum += ((volatile float*)parts)[i];
            *mean = sum / n;
            *arrived = 0;
        }
    }
}

// ---- scans and sorts
extern "C" __global__ void scan_of_warps(const int* in, int* out, int n)
{
    __shared__ int sums[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, value, step);
        if (lane >= step)
            value += other;
    }
    if (lane == 31)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step)
                sum += other;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    if (i < n)
        out[i] = value + (warp > 0 ? sums[warp - 1] : 0);
}

extern "C" __global__ void compare_and_swap_apart(float* keys, int apart, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ apart;
    if (other <= i)
        return;
    const float a = keys[i], b = keys[other];
    if ((a > b) == ((i & length) == 0)) {
        keys[i] = b;
        keys[other] = a;
    }
}

extern "C" __global__ void sort_in_block(float* keys)
{
    extern __shared__ float mine[];
    const int base = blockIdx.x * blockDim.x;
    mine[threadIdx.x] = keys[base + threadIdx.x];
    __syncthreads();
    for (int length = 2; length <= blockDim.x; length *= 2)
        for (int apart = length / 2; apart > 0; apart /= 2) {
            const int other = threadIdx.x ^ apart;
            if (other > threadIdx.x) {
                const float a = mine[threadIdx.x], b = mine[other];
                if ((a > b) == ((threadIdx.x & length) == 0)) {
                    mine[threadIdx.x] = b;
                    mine[other] = a;
                }
            }
            __syncthreads();
        }
    keys[base + threadIdx.x] = mine[threadIdx.x];
}

// Merges two sorted halves: each element counts the elements of the other half before it.
extern "C" __global__ void merge_by_rank(const unsigned* sorted, unsigned* out, int half)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * half)
        return;
    const bool is_first = i < half;
    const unsigned* const other = sorted + (is_first ? half : 0);
    const unsigned key = sorted[i];
    int low = 0, high = half;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (other[middle] < key || (!is_first && other[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    out[(is_first ? i : i - half) + low] = key;
}

extern "C" __global__ void keep_positive(const float* in, float* out, unsigned* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = i < n ? in[i] : 0;
    const unsigned who = __ballot_sync(0xffffffffu, value > 0), lane = threadIdx.x % 32;
    unsigned first = 0;
    if (lane == 0)
        first = atomicAdd(count, __popc(who));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (value > 0)
        out[(first + __popc(who & ((1u << lane) - 1))) % n] = value;
}

// ---- grids of points
extern "C" __global__ void generation(const unsigned char* now, unsigned char* next, int width, int height)
{
    __shared__ unsigned char tile[18][18];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int j = threadIdx.y; j < 18; j += 16)
        for (int i = threadIdx.x; i < 18; i += 16) {
            const int at_x = (blockIdx.x * 16 + i - 1 + width) % width, at_y = (blockIdx.y * 16 + j - 1 + height) % height;
            tile[j][i] = now[at_y * width + at_x];
        }
    __syncthreads();
    int neighbours = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            neighbours += tile[threadIdx.y + j][threadIdx.x + i] & 1;
    const int me = tile[threadIdx.y + 1][threadIdx.x + 1] & 1;
    next[y * width + x] = neighbours == 3 || (me && neighbours == 4);
}

extern "C" __global__ void edges(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const float* at = in + y * width + x;
    const float across = at[-width + 1] + 2 * at[1] + at[width + 1] - at[-width - 1] - 2 * at[-1] - at[width - 1];
    const float down = at[width - 1] + 2 * at[width] + at[width + 1] - at[-width - 1] - 2 * at[-width] - at[-width + 1];
    out[y * width + x] = sqrtf(across * across + down * down);
}

// Fourth order in three dimensions: a thread moves up its column.
extern "C" __global__ void wave_3d(const float* now, float* next, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2)
        return;
    for (int z = 2; z < n - 2; ++z) {
        const float* at = now + ((size_t)z * n + y) * n + x;
        const float sum = -7.5f * at[0] + 1.333f * (at[1] + at[-1] + at[n] + at[-n] + at[n * n] + at[-n * n]) -
                          0.083f * (at[2] + at[-2] + at[2 * n] + at[-2 * n] + at[2 * n * n] + at[-2 * n * n]);
        next[((size_t)z * n + y) * n + x] += 0.1f * sum;
    }
}

// Both colours of a checkerboard in turn: every second point of a row.
extern "C" __global__ void red_black(double* u, int n, int colour)
{
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1, y = blockIdx.y + 1;
    const int column = x + ((y + colour) & 1);
    if (column < n - 1 && y < n - 1)
        u[y * n + column] = 0.25 * (u[y * n + column - 1] + u[y * n + column + 1] + u[(y - 1) * n + column] + u[(y + 1) * n + column]);
}

extern "C" __global__ void julia(unsigned char* out, int width, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float re = 3.f * x / width - 1.5f, im = 3.f * y / width - 1.5f;
    int count = 0;
    while (count < most && re * re + im * im < 4) {
        const float next = re * re - im * im - 0.8f;
        im = 2 * re * im + 0.156f;
        re = next;
        ++count;
    }
    out[y * width + x] = (unsigned char)count;
}

// ---- matrices
// Column after column of A: what is neighbouring is read by neighbouring threads.
extern "C" __global__ void matrix_vector_columns(const float* a, const float* x, float* y, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < columns; ++c)
        sum += a[c * rows + row] * x[c];
    y[row] = sum;
}

extern "C" __global__ void matrix_vector_warps(const double* a, const double* x, double* y, int rows, int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    double sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += a[row * columns + c] * x[c];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0)
        y[row] = sum;
}

// Many products of small matrices, one per thread.
extern "C" __global__ void small_products(const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float left[16], right[16];
    for (int k = 0; k < 16; ++k) {
        left[k] = a[i * 16 + k];
        right[k] = b[i * 16 + k];
    }
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column) {
            float sum = 0;
            for (int k = 0; k < 4; ++k)
                sum += left[row * 4 + k] * right[k * 4 + column];
            c[i * 16 + row * 4 + column] = sum;
        }
}

extern "C" __global__ void outer_product(const float* x, const float* y, float* a, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < n)
        for (int row = 0; row < 64; ++row)
            a[(blockIdx.y * 64 + row) * n + column] += x[blockIdx.y * 64 + row] * y[column];
}

// Rows and columns of tiles exchanged: writes are one column apart.
extern "C" __global__ void transpose_doubles(const double* in, double* out, int n)
{
    __shared__ double tile[16][16];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// ---- tables, words, numbers
extern "C" __global__ void through_table(const unsigned char* in, unsigned char* out, const unsigned char* table, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[in[i]];
}

extern "C" __global__ void count_bytes(const unsigned char* text, unsigned* counts, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[text[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

extern "C" __global__ void common_divisors(const unsigned* a, const unsigned* b, unsigned* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    while (y != 0) {
        const unsigned rest = x % y;
        x = y;
        y = rest;
    }
    out[i] = x;
}

extern "C" __global__ void option_prices(const float* price, const float* strike, const float* years, float* call, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float root = sqrtf(years[i] + 0.1f), s = fabsf(price[i]) + 1, k = fabsf(strike[i]) + 1;
    const float d1 = (logf(s / k) + (0.02f + 0.045f) * root * root) / (0.3f * root), d2 = d1 - 0.3f * root;
    call[i] = s * normcdff(d1) - k * expf(-0.02f * root * root) * normcdff(d2);
}

extern "C" __global__ void darts(unsigned* inside, int throws)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, hits = 0;
    for (int i = 0; i < throws; ++i) {
        state = state * 1664525u + 1013904223u;
        const float x = (state >> 8) * (1.f / 16777216);
        state = state * 1664525u + 1013904223u;
        const float y = (state >> 8) * (1.f / 16777216);
        hits += x * x + y * y < 1;
    }
    atomicAdd(inside, hits);
}

extern "C" __global__ void horner_double(const double* x, double* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double at = x[i];
    double sum = 0;
    for (int k = 30; k > 0; --k)
        sum = fma(sum, at, 1.0 / k);
    y[i] = sin(sum) + sqrt(fabs(sum));
}

// One level of a search in a graph whose nodes have `degree` neighbours each.
extern "C" __global__ void next_level(const int* neighbours, int* level_of, int nodes, int degree, int level, int* found)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level_of[node] % 4 != level)
        return;
    for (int k = 0; k < degree; ++k) {
        const int other = (neighbours[node * degree + k] & 0x7fffffff) % nodes;
        if (level_of[other] > level + 4) {
            level_of[other] = level + 4;
            *found = 1;
        }
    }
}

extern "C" __global__ void reverse_in_place(int* a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        const int other = a[n - 1 - i];
        a[n - 1 - i] = a[i];
        a[i] = other;
    }
}

extern "C" __global__ void every_kth(const float* in, float* out, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * k < n)
        out[i] = in[i * k];
}
