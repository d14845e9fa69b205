// Neighbouring elements: halos, sweeps, filters and cellular automata.
constexpr int kRadius = 3, kBlock = 64;

extern "C" __global__ void halo_1d(const float* in, float* out, int n) {
  __shared__ float tile[kBlock + 2 * kRadius];
  const int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x + kRadius;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x < kRadius) {
    tile[t - kRadius] = i >= kRadius ? in[i - kRadius] : 0;
    tile[t + kBlock] = i + kBlock < n ? in[i + kBlock] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int d = -kRadius; d <= kRadius; ++d) sum += tile[t + d];
  out[i] = sum / (2 * kRadius + 1);
}
// run: --kernel halo_1d --grid 4 --block 64 --arg buf:f32:230:random --arg buf:f32:230 --arg i32:230

extern "C" __global__ void heat_2d(const float* in, float* out, int width, int height) {
  __shared__ float tile[10][18];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const auto at = [&](int column, int row) {
    column = min(max(column, 0), width - 1);
    row = min(max(row, 0), height - 1);
    return in[row * width + column];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == 15) tile[ty][17] = at(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == 7) tile[9][tx] = at(x, y + 1);
  __syncthreads();
  if (x < width && y < height)
    out[y * width + x] = tile[ty][tx] + 0.1f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] +
                                                tile[ty][tx + 1] - 4 * tile[ty][tx]);
}
// run: --kernel heat_2d --grid 3,4 --block 16,8 --arg buf:f32:1200:random --arg buf:f32:1200 --arg i32:40 --arg i32:30

// A neighbour's element comes from its register; a lane without that neighbour loads it.
extern "C" __global__ void neighbours_by_shuffle(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const float mine = i < n ? in[i] : 0;
  float left = __shfl_up_sync(0xffffffffu, mine, 1), right = __shfl_down_sync(0xffffffffu, mine, 1);
  if (lane == 0) left = i > 0 && i < n ? in[i - 1] : 0;
  if (lane == 31) right = i + 1 < n ? in[i + 1] : 0;
  if (i < n) out[i] = left + mine + right;
}
// run: --kernel neighbours_by_shuffle --grid 2 --block 96 --arg buf:f32:150:random --arg buf:f32:150 --arg i32:150

// The same after an early return: the last lane reads from a lane that has exited, and discards the value.
extern "C" __global__ void differences(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const int mine = in[i];
  const int right = __shfl_down_sync(0xffffffffu, mine, 1);
  out[i] = i + 1 < n ? right - mine : 0;
}
// run: --kernel differences --grid 1 --block 32 --arg buf:i32:20:iota --arg buf:i32:20 --arg i32:20

extern "C" __global__ void game_of_life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) alive += in[(y + dy + height) % height * width + (x + dx + width) % width] & 1;
  out[y * width + x] = alive == 3 || (alive == 2 && (in[y * width + x] & 1));
}
// run: --kernel game_of_life --grid 2,3 --block 16,8 --arg buf:u8:600:random --arg buf:u8:600 --arg i32:30 --arg i32:20

// Red and black: a sweep reads one colour and writes the other, in place.
extern "C" __global__ void red_sweep(float* grid, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1 || (x + y) % 2) return;
  const int i = y * width + x;
  grid[i] = 0.25f * (grid[i - 1] + grid[i + 1] + grid[i - width] + grid[i + width]);
}
// run: --kernel red_sweep --grid 3,3 --block 16,16 --arg buf:f32:1600:random --arg i32:40 --arg i32:40

__constant__ float weights[2 * kRadius + 1];
extern "C" __global__ void convolve_rows(const float* in, float* out, int width) {
  __shared__ float row[128 + 2 * kRadius];
  const int x = blockIdx.x * 128 + threadIdx.x;
  for (int t = threadIdx.x; t < 128 + 2 * kRadius; t += 128) {
    const int from = blockIdx.x * 128 + t - kRadius;
    row[t] = from >= 0 && from < width ? in[blockIdx.y * width + from] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 2 * kRadius + 1; ++k) sum += weights[k] * row[threadIdx.x + k];
  if (x < width) out[blockIdx.y * width + x] = sum;
}
// run: --kernel convolve_rows --grid 2,5 --block 128 --arg buf:f32:1000:random --arg buf:f32:1000 --arg i32:200

// Each thread moves down its column and keeps three rows in registers.
extern "C" __global__ void rolling_rows(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float above = in[x], here = in[x];
  for (int y = 0; y < height; ++y) {
    const float below = y + 1 < height ? in[(y + 1) * width + x] : here;
    out[y * width + x] = (above + here + below) / 3;
    above = here;
    here = below;
  }
}
// run: --kernel rolling_rows --grid 2 --block 32 --arg buf:f32:1000:random --arg buf:f32:1000 --arg i32:50 --arg i32:20

// The unsigned index is compared before 1 is subtracted, and wraps back where 1 is added.
extern "C" __global__ void unsigned_neighbours(const float* in, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, left = i - 1u;
  if (i >= n) return;
  out[i] = (i > 0 ? in[left] : 0.0f) + in[left + 1u];
}
// run: --kernel unsigned_neighbours --grid 2 --block 64 --arg buf:f32:100:random --arg buf:f32:100 --arg u32:100
