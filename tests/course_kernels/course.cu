// The kernels whose counters were measured on an H200 (expected/h200/course_kernels.md), in the form in which
// they were measured. The test that compiles this file sets TILE, PAD, TYPE and LENGTH.
#ifndef TILE
#define TILE 32
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef TYPE
#define TYPE float
#endif

extern "C" __global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
}

extern "C" __global__ void transpose_tiled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void read_offset(const float* a, const float* b, float* c, int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
  if (k < n) c[i] = a[k] + b[k];
}

extern "C" __global__ void dot_global(const TYPE* a, const TYPE* b, TYPE* partial, int n) {
  if (threadIdx.x != 0) return;
  TYPE sum = 0;
  for (int i = 0; i < 256; ++i) sum += a[blockIdx.x * 256 + i] * b[blockIdx.x * 256 + i];
  partial[blockIdx.x] = sum;
}

extern "C" __global__ void dot_shared(const TYPE* a, const TYPE* b, TYPE* partial, int n) {
  __shared__ TYPE part_a[256], part_b[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part_a[threadIdx.x] = a[i];
  part_b[threadIdx.x] = b[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  TYPE sum = 0;
  for (int k = 0; k < 256; ++k) sum += part_a[k] * part_b[k];
  partial[blockIdx.x] = sum;
}

extern "C" __global__ void matmul_naive(const TYPE* a, const TYPE* b, TYPE* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  TYPE sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

extern "C" __global__ void matmul_tiled(const TYPE* a, const TYPE* b, TYPE* c, int n) {
  __shared__ TYPE tile_a[TILE][TILE], tile_b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  TYPE sum = 0;
  for (int m = 0; m < n / TILE; ++m) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + m * TILE + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(m * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// Row means, then a 512 × 512 matrix times them. Block b takes every gridDim.x-th matrix of the batch, from b on.
extern "C" __global__ void mean_matvec(const double* matrices, const double* factor, double* results, int batch) {
  constexpr int kLength = 512;
  __shared__ double partial[kLength];
  for (int n = blockIdx.x; n < batch; n += gridDim.x) {
    const double* matrix = matrices + n * kLength * kLength;
    double mean = 0;
    for (int m = 0; m < kLength; ++m) mean += matrix[threadIdx.x * kLength + m];
    mean /= kLength;
    for (int row = 0; row < kLength; ++row) {
      partial[threadIdx.x] = factor[row * kLength + threadIdx.x] * mean;
      __syncthreads();
      for (int step = kLength / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
      }
      if (threadIdx.x == 0) results[n * kLength + row] = partial[0];
      __syncthreads();
    }
  }
}

// Reads s[(t·stride) & 1023]; every thread has written its own element before.
extern "C" __global__ void bank_pattern(TYPE* out, int stride) {
  __shared__ TYPE s[1024];
  s[threadIdx.x] = static_cast<TYPE>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = s[(threadIdx.x * stride) & 1023];
}
