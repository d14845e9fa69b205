// Kernels as in courses, written and recorded last. The model was not changed after they had been compared.

// ---- grids of points
__constant__ float weights[31];
extern "C" __global__ void blur_rows(const float* in, float* out, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        const int at = min(max(x + k, 0), width - 1);
        sum += (weights[k + radius] + 0.03f) * in[y * width + at];
    }
    out[y * width + x] = sum;
}

extern "C" __global__ void blur_columns(const float* in, float* out, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        const int at = min(max(y + k, 0), height - 1);
        sum += (weights[k + radius] + 0.03f) * in[at * width + x];
    }
    out[y * width + x] = sum;
}

extern "C" __global__ void median_of_nine(const unsigned char* in, unsigned char* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    unsigned char v[9];
    for (int k = 0; k < 9; ++k)
        v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
    for (int i = 0; i < 5; ++i)
        for (int j = i + 1; j < 9; ++j)
            if (v[j] < v[i]) {
                const unsigned char w = v[i];
                v[i] = v[j];
                v[j] = w;
            }
    out[y * width + x] = v[4];
}

extern "C" __global__ void bilateral(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3)
        return;
    const float here = in[y * width + x];
    float sum = 0, all = 0;
    for (int j = -3; j <= 3; ++j)
        for (int i = -3; i <= 3; ++i) {
            const float there = in[(y + j) * width + x + i], d = there - here;
            const float w = __expf(-0.1f * (i * i + j * j) - 4 * d * d);
            sum += w * there;
            all += w;
        }
    out[y * width + x] = sum / all;
}

extern "C" __global__ void heat_shared(const double* in, double* out, int n)
{
    __shared__ double tile[18][18];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = threadIdx.x + 1, j = threadIdx.y + 1;
    const bool inside = x < n && y < n;
    tile[j][i] = inside ? in[y * n + x] : 0;
    if (threadIdx.x == 0)
        tile[j][0] = x > 0 && y < n ? in[y * n + x - 1] : 0;
    if (threadIdx.x == 15)
        tile[j][17] = x < n - 1 && y < n ? in[y * n + x + 1] : 0;
    if (threadIdx.y == 0)
        tile[0][i] = y > 0 && x < n ? in[(y - 1) * n + x] : 0;
    if (threadIdx.y == 15)
        tile[17][i] = y < n - 1 && x < n ? in[(y + 1) * n + x] : 0;
    __syncthreads();
    if (inside)
        out[y * n + x] = tile[j][i] + 0.2 * (tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i] - 4 * tile[j][i]);
}

extern "C" __global__ void mandelbrot_double(int* out, int width, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const double cx = 3.0 * x / width - 2, cy = 2.0 * y / width - 1;
    double re = 0, im = 0;
    int count = 0;
    for (; count < most && re * re + im * im < 4; ++count) {
        const double next = re * re - im * im + cx;
        im = 2 * re * im + cy;
        re = next;
    }
    out[y * width + x] = count;
}

extern "C" __global__ void sphere(float* image, int width, int spheres, const float4* at)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float px = 2.f * x / width - 1, py = 2.f * y / width - 1;
    float nearest = 1e30f;
    for (int s = 0; s < spheres; ++s) {
        const float4 ball = at[s];
        const float dx = px - ball.x, dy = py - ball.y, radius = 0.1f + 0.2f * fabsf(ball.w);
        const float rest = radius * radius - dx * dx - dy * dy;
        if (rest > 0)
            nearest = fminf(nearest, ball.z - sqrtf(rest));
    }
    image[y * width + x] = nearest;
}

// ---- matrices
extern "C" __global__ void add_2d(const float* a, const float* b, float* c, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}

// The threads of a warp go down the rows, so each reads its own row.
extern "C" __global__ void add_2d_turned(const float* a, const float* b, float* c, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}

extern "C" __global__ void product_int(const int* a, const int* b, int* c, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    int sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void product_tiled(const double* a, const double* b, double* c, int n)
{
    __shared__ double left[16][16], right[16][16];
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (int tile = 0; tile < n / 16; ++tile) {
        left[threadIdx.y][threadIdx.x] = a[row * n + tile * 16 + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(tile * 16 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void shortest_ways(float* d, int n, int k)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < n)
        d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

extern "C" __global__ void eliminate(float* a, int n, int pivot)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (row > pivot && column > pivot && column < n)
        a[row * n + column] -= a[row * n + pivot] / (a[pivot * n + pivot] + 3) * a[pivot * n + column];
}

// Five entries per row, in any columns.
extern "C" __global__ void sparse_product(const int* columns, const float* values, const float* x, float* y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = row * 5; k < row * 5 + 5; ++k)
        sum += values[k] * x[(columns[k] & 0x7fffffff) % rows];
    y[row] = sum;
}

extern "C" __global__ void trace_of(const float* a, float* sum, int n)
{
    __shared__ float part;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += a[(size_t)i * n + i];
    atomicAdd(&part, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, part);
}

// ---- sums, scans, counts
extern "C" __global__ void dot_shuffled(const double* a, const double* b, double* out, int n)
{
    __shared__ double of_warp[32];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void sum_shared_atomics(const int* in, int* sum, int n)
{
    __shared__ int part;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&part, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, part);
}

extern "C" __global__ void sum_conflicting(const float* in, float* out)
{
    __shared__ float part[256];
    part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int at = 2 * step * threadIdx.x;
        if (at < 256)
            part[at] += part[at + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void scan_up_and_down(const int* in, int* out)
{
    __shared__ int s[512];
    const int t = threadIdx.x, base = blockIdx.x * 512;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    int offset = 1;
    for (int d = 256; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1, was = s[low];
            s[low] = s[high];
            s[high] += was;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ void add_of_block(int* out, const int* sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += sums[blockIdx.x];
}

extern "C" __global__ void digits(const unsigned* keys, unsigned* counts, int n, int shift)
{
    __shared__ unsigned mine[16];
    if (threadIdx.x < 16)
        mine[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&mine[keys[i] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

extern "C" __global__ void histogram_2d(const float2* at, unsigned* bins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int x = min(63, (int)(fabsf(at[i].x) * 64)), y = min(63, (int)(fabsf(at[i].y) * 64));
    atomicAdd(&bins[y * 64 + x], 1u);
}

// ---- points
extern "C" __global__ void nearest_centre(const float* x, const float* y, const float* centres, int* which, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = 1e30f;
    int found = 0;
    for (int c = 0; c < k; ++c) {
        const float dx = x[i] - centres[2 * c], dy = y[i] - centres[2 * c + 1], d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            found = c;
        }
    }
    which[i] = found;
}

extern "C" __global__ void add_to_centres(const float* x, const float* y, const int* which, float* sums, int* counts, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int c = (which[i] & 0x7fffffff) % k;
    atomicAdd(&sums[2 * c], x[i]);
    atomicAdd(&sums[2 * c + 1], y[i]);
    atomicAdd(&counts[c], 1);
}

extern "C" __global__ void all_distances(const float* x, const float* y, float* d, int n)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        d[i * n + j] = sqrtf((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
}

extern "C" __global__ void gravity(const double4* bodies, double4* forces, int n)
{
    __shared__ double4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const double4 me = bodies[i];
    double fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < n; first += 128) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            const double dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            const double r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3), w = r * r * r;
            fx += dx * w;
            fy += dy * w;
            fz += dz * w;
        }
        __syncthreads();
    }
    forces[i] = make_double4(fx, fy, fz, 0);
}

extern "C" __global__ void walk_of_numbers(float* out, int steps)
{
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1;
    float at = 0;
    for (int i = 0; i < steps; ++i) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        at += (state & 1) ? __logf(1 + (state >> 9) * 1e-7f) : -0.5f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// ---- words, integers
extern "C" __global__ void powers_modulo(const unsigned* base, unsigned* out, unsigned exponent, unsigned modulus)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long result = 1, square = base[i] % modulus;
    for (unsigned e = exponent; e > 0; e >>= 1) {
        if (e & 1)
            result = result * square % modulus;
        square = square * square % modulus;
    }
    out[i] = (unsigned)result;
}

extern "C" __global__ void matches(const unsigned char* text, const unsigned char* word, int* count, int n, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    int k = 0;
    while (k < length && (text[i + k] & 3) == (word[k] & 3))
        ++k;
    if (k == length)
        atomicAdd(count, 1);
}

extern "C" __global__ void turn_bytes(const unsigned* in, unsigned* out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = __byte_perm(in[i], 0, 0x0123);
}

extern "C" __global__ void parity(const unsigned long long* in, unsigned char* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __popcll(in[i]) & 1;
}

// One diagonal of the table of a sequence alignment.
extern "C" __global__ void diagonal(int* table, const unsigned char* a, const unsigned char* b, int n, int d)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;
    if (i >= n || j < 1 || j >= n)
        return;
    const int same = table[(i - 1) * n + j - 1] + ((a[i] & 3) == (b[j] & 3) ? 2 : -1);
    table[i * n + j] = max(same, max(table[(i - 1) * n + j], table[i * n + j - 1]) - 1);
}

extern "C" __global__ void interest(double* money, int n, int years, double rate)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double now = money[i];
    for (int year = 0; year < years; ++year)
        now = now + now * rate / 100;
    money[i] = now;
}
