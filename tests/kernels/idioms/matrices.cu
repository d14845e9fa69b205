// Products and transposes of matrices and vectors.
template <int kTile>
__device__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int cols) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < inner; first += kTile) {
    const int k = first + threadIdx.x, m = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : 0;
    b_tile[threadIdx.y][threadIdx.x] = m < inner && col < cols ? b[m * cols + col] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && col < cols) c[row * cols + col] = sum;
}
extern "C" __global__ void product_with_edges(const float* a, const float* b, float* c, int rows, int inner,
                                              int cols) {
  multiply<8>(a, b, c, rows, inner, cols);
}
// run: --kernel product_with_edges --grid 3,2 --block 8,8 --arg buf:f32:247:random --arg buf:f32:380:random --arg buf:f32:260 --arg i32:13 --arg i32:19 --arg i32:20

// Two tiles in turn: the next one is loaded while this one is used, so one barrier per step is enough.
extern "C" __global__ void double_buffered_product(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[2][16][16], b_tile[2][16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  int side = 0;
  a_tile[0][y][x] = a[row * n + x];
  b_tile[0][y][x] = b[y * n + col];
  for (int first = 0; first < n; first += 16) {
    __syncthreads();
    if (first + 16 < n) {
      a_tile[1 - side][y][x] = a[row * n + first + 16 + x];
      b_tile[1 - side][y][x] = b[(first + 16 + y) * n + col];
    }
    for (int k = 0; k < 16; ++k) sum += a_tile[side][y][k] * b_tile[side][k][x];
    side = 1 - side;
  }
  c[row * n + col] = sum;
}
// run: --kernel double_buffered_product --grid 3,3 --block 16,16 --arg buf:f32:2304:random --arg buf:f32:2304:random --arg buf:f32:2304 --arg i32:48

// Each thread computes four results in one column.
extern "C" __global__ void four_rows_a_thread(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[32][8], b_tile[8][32];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  float sums[4] = {};
  for (int first = 0; first < n; first += 8) {
    a_tile[threadIdx.x / 8][threadIdx.x % 8] =
        a[(blockIdx.y * 32 + threadIdx.x / 8) * n + first + threadIdx.x % 8];
    b_tile[y][x] = b[(first + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      for (int r = 0; r < 4; ++r) sums[r] += a_tile[y * 4 + r][k] * b_tile[k][x];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) c[(blockIdx.y * 32 + y * 4 + r) * n + blockIdx.x * 32 + x] = sums[r];
}
// run: --kernel four_rows_a_thread --grid 2,2 --block 256 --arg buf:f32:4096:random --arg buf:f32:4096:random --arg buf:f32:4096 --arg i32:64

extern "C" __global__ void warp_per_row(const float* matrix, const float* vector, float* out, int rows,
                                        int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += matrix[row * cols + c] * vector[c];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) out[row] = sum;
}
// run: --kernel warp_per_row --grid 3 --block 128 --arg buf:f32:1000:random --arg buf:f32:100:random --arg buf:f32:10 --arg i32:10 --arg i32:100

// In place: a block exchanges its tile with the tile on the other side of the diagonal.
extern "C" __global__ void transpose_in_place(float* matrix, int n) {
  __shared__ float here[16][17], there[16][17];
  if (blockIdx.y < blockIdx.x) return;
  const int x = threadIdx.x, y = threadIdx.y;
  const int near = (blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x,
            far = (blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x;
  here[y][x] = matrix[near];
  there[y][x] = matrix[far];
  __syncthreads();
  matrix[far] = here[x][y];
  if (near != far) matrix[near] = there[x][y];
}
// run: --kernel transpose_in_place --grid 3,3 --block 16,16 --arg buf:f32:2304:random --arg i32:48

extern "C" __global__ void sparse_rows(const int* start, const int* column, const float* value,
                                       const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
// run: --kernel sparse_rows --grid 1 --block 32 --arg buf:i32:31:iota --arg buf:i32:30:iota --arg buf:f32:30:random --arg buf:f32:30:random --arg buf:f32:30 --arg i32:30

// Gaussian elimination: subtracts the pivot's row from all rows below it.
extern "C" __global__ void eliminate(float* matrix, int n, int pivot) {
  const int row = pivot + 1 + blockIdx.x;
  if (row >= n) return;
  __shared__ float factor;
  if (threadIdx.x == 0) factor = matrix[row * n + pivot] / (matrix[pivot * n + pivot] + 3);
  __syncthreads();
  for (int c = pivot + threadIdx.x; c < n; c += blockDim.x)
    matrix[row * n + c] -= factor * matrix[pivot * n + c];
}
// run: --kernel eliminate --grid 15 --block 32 --arg buf:f32:256:random --arg i32:16 --arg i32:2

// An array of four sums with data-dependent indices: it is in local memory, and all of it is written first.
extern "C" __global__ void sums_by_class(const int* kind, const float* value, float* out, int n) {
  float sums[4];
  for (int k = 0; k < 4; ++k) sums[k] = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sums[kind[i] & 3] += value[i];
  for (int k = 0; k < 4; ++k) atomicAdd(&out[k], sums[k]);
}
// run: --kernel sums_by_class --grid 1 --block 32 --arg buf:i32:100:random --arg buf:f32:100:random --arg buf:f32:4:zero --arg i32:100
