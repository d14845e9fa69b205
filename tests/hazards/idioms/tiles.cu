// Incorrect tiles of stencils, transposes and products.
extern "C" __global__ void transpose_no_barrier(const float* in, float* out) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];   // other
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];  // here
}
// run: --kernel transpose_no_barrier --grid 1 --block 32,8 --arg buf:f32:1024:random --arg buf:f32:1024

// The second barrier of the product's loop is missing.
extern "C" __global__ void product_one_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[16][16], b_tile[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int first = 0; first < n; first += 16) {
    a_tile[y][x] = a[y * n + first + x];
    b_tile[y][x] = b[(first + y) * n + x];  // here
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a_tile[y][k] * b_tile[k][x];  // other
  }
  c[y * n + x] = sum;
}
// run: --kernel product_one_barrier --grid 1 --block 16,16 --arg buf:f32:1024:random --arg buf:f32:1024:random --arg buf:f32:1024 --arg i32:32

// The part of the tile beyond the matrix is not filled.
extern "C" __global__ void tile_not_filled(const float* a, float* sums, int n) {
  __shared__ float tile[16];
  const int i = blockIdx.x * 16 + threadIdx.x;
  if (i < n) tile[threadIdx.x] = a[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += tile[k];  // here
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// run: --kernel tile_not_filled --grid 3 --block 16 --arg buf:f32:40:random --arg buf:f32:3 --arg i32:40

// The halo is not loaded.
extern "C" __global__ void no_halo(const float* in, float* out, int n) {
  __shared__ float tile[66];
  const int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = in[i];
  __syncthreads();
  out[i] = tile[t - 1] + tile[t] + tile[t + 1];  // here
}
// run: --kernel no_halo --grid 2 --block 64 --arg buf:f32:128:random --arg buf:f32:128 --arg i32:128

// Jacobi in place: neighbours read what other threads write.
extern "C" __global__ void in_place_stencil(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) data[i] = 0.5f * (data[i - 1] + data[i + 1]);  // here
}
// run: --kernel in_place_stencil --grid 4 --block 64 --arg buf:f32:256:random --arg i32:256

// A transpose in place, with one thread per element.
extern "C" __global__ void in_place_transpose(float* data, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float here = data[y * n + x];  // other
  data[x * n + y] = here;              // here
}
// run: --kernel in_place_transpose --grid 2,2 --block 16,16 --arg buf:f32:1024:random --arg i32:32

// Two steps in one launch, as if blocks waited for each other.
extern "C" __global__ void two_steps(const int* in, int* middle, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  middle[i] = in[i] * 2;  // other
  __syncthreads();
  out[i] = middle[n - 1 - i];  // here
}
// run: --kernel two_steps --grid 4 --block 64 --arg buf:i32:256:iota --arg buf:i32:256 --arg buf:i32:256 --arg i32:256

// One thread loads, all read.
extern "C" __global__ void loaded_by_one(const float* in, float* out) {
  __shared__ float factor;
  if (threadIdx.x == 0) factor = in[0];         // other
  out[threadIdx.x] = factor * in[threadIdx.x];  // here
}
// run: --kernel loaded_by_one --grid 1 --block 64 --arg buf:f32:64:random --arg buf:f32:64

// The buffer is refilled while other threads still read it.
extern "C" __global__ void refilled_too_early(const int* in, int* out, int rounds) {
  __shared__ int words[64];
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    words[threadIdx.x] = in[r * 64 + threadIdx.x];  // here
    __syncthreads();
    sum += words[63 - threadIdx.x];  // other
  }
  out[threadIdx.x] = sum;
}
// run: --kernel refilled_too_early --grid 1 --block 64 --arg buf:i32:256:iota --arg buf:i32:64 --arg i32:4

// A barrier of one warp in the place of a barrier of the block.
extern "C" __global__ void barrier_of_a_warp(const int* in, int* out) {
  __shared__ int words[256];
  words[threadIdx.x] = in[threadIdx.x];  // other
  asm volatile("bar.sync 0, 32;" ::: "memory");
  out[threadIdx.x] = words[255 - threadIdx.x];  // here
}
// run: --kernel barrier_of_a_warp --grid 1 --block 256 --arg buf:i32:256:iota --arg buf:i32:256

extern "C" __global__ void syncwarp_for_a_block(const int* in, int* out) {
  __shared__ int words[128];
  words[threadIdx.x] = in[threadIdx.x];  // other
  __syncwarp();
  out[threadIdx.x] = words[127 - threadIdx.x];  // here
}
// run: --kernel syncwarp_for_a_block --grid 1 --block 128 --arg buf:i32:128:iota --arg buf:i32:128
