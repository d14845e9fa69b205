// Wrong indices: off by one, by a factor, by a dimension.
extern "C" __global__ void no_guard(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];  // here
}
// run: --kernel no_guard --grid 4 --block 64 --arg buf:f32:250:random --arg buf:f32:256 --arg i32:250

extern "C" __global__ void guard_by_one(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[0];  // here
}
// run: --kernel guard_by_one --grid 4 --block 64 --arg buf:f32:100:random --arg buf:f32:100 --arg i32:100

extern "C" __global__ void left_neighbour(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] - in[i - 1];  // here
}
// run: --kernel left_neighbour --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64 --arg i32:64

extern "C" __global__ void rows_and_columns(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[col * cols + row] = in[row * cols + col];  // here
}
// run: --kernel rows_and_columns --grid 3,1 --block 16,16 --arg buf:f32:480:random --arg buf:f32:480 --arg i32:10 --arg i32:48

// The index lacks the number of the block.
extern "C" __global__ void block_left_out(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[blockIdx.x * blockDim.x + i];  // here
}
// run: --kernel block_left_out --grid 4 --block 64 --arg buf:f32:256:random --arg buf:f32:256

// Two-dimensional threads with a one-dimensional index.
extern "C" __global__ void y_left_out(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.y * blockDim.x + threadIdx.x];  // here
}
// run: --kernel y_left_out --grid 1 --block 8,4 --arg buf:i32:32:iota --arg buf:i32:8

extern "C" __global__ void index_that_collides(const int* in, int* out) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[x * 3 + y] = in[y * 8 + x];  // here
}
// run: --kernel index_that_collides --grid 1 --block 8,8 --arg buf:i32:64:iota --arg buf:i32:64

extern "C" __global__ void shared_array_too_small(const int* in, int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = in[threadIdx.x];  // here
  __syncthreads();
  out[threadIdx.x] = words[31 - threadIdx.x % 32];
}
// run: --kernel shared_array_too_small --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64

extern "C" __global__ void no_dynamic_shared(const int* in, int* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = in[threadIdx.x];  // here
  __syncthreads();
  out[threadIdx.x] = words[0];
}
// run: --kernel no_dynamic_shared --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64

extern "C" __global__ void null_pointer(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // here
}
// run: --kernel null_pointer --grid 1 --block 64 --arg buf:i32:64:iota --arg u64:0

extern "C" __global__ void misaligned_vector(const float* in, float* out) {
  const float4 four = *reinterpret_cast<const float4*>(in + 1 + 4 * threadIdx.x);  // here
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
// run: --kernel misaligned_vector --grid 1 --block 8 --arg buf:f32:64:random --arg buf:f32:8

extern "C" __global__ void local_index(const int* in, int* out) {
  int counts[4] = {};
  for (int i = 0; i < 8; ++i) ++counts[in[i]];  // here
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += counts[in[i]] * i;
  out[threadIdx.x] = sum;
}
// run: --kernel local_index --grid 1 --block 32 --arg buf:i32:1000:iota --arg buf:i32:32

// A store through a null pointer that the compiler detects and turns into a trap.
extern "C" __global__ void store_to_null(int* out, int n) {
  int* nowhere = nullptr;
  if (threadIdx.x < n)
    out[threadIdx.x] = 1;
  else
    *nowhere = 1;  // here
}
// run: --kernel store_to_null --grid 1 --block 32 --arg buf:i32:32 --arg i32:16

extern "C" __global__ void trap_in_the_code(const int* in, int* out) {
  if (in[threadIdx.x] > 20) __trap();  // here
  out[threadIdx.x] = in[threadIdx.x];
}
// run: --kernel trap_in_the_code --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32

extern "C" __global__ void endless(int* out) {
  int i = threadIdx.x;
  while (i < 1000) i = i % 32;  // here
  out[threadIdx.x] = i;
}
// run: --kernel endless --grid 1 --block 32 --arg buf:i32:32 --max-steps 100000

// threadIdx.x is unsigned: subtracting 1 gives 4294967295 in thread 0.
extern "C" __global__ void unsigned_left_neighbour(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] - in[threadIdx.x - 1];  // here
}
// run: --kernel unsigned_left_neighbour --grid 1 --block 64 --arg buf:f32:64:random --arg buf:f32:64

extern "C" __global__ void before_the_local_array(const int* in, int* out) {
  int last[16];
  for (int i = 0; i < 16; ++i) last[i] = in[i];
  out[threadIdx.x] = last[in[threadIdx.x] - 2];  // here
}
// run: --kernel before_the_local_array --grid 1 --block 8 --arg buf:i32:16:iota --arg buf:i32:8

// Row and column of the whole matrix instead of those of the tile.
extern "C" __global__ void whole_matrix_in_a_tile(const float* in, float* out, int pitch) {
  __shared__ float tile[16 * 16];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y * 16 + threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[y * 16 + x] = tile[y * pitch + x];  // here
}
// run: --kernel whole_matrix_in_a_tile --grid 2,2 --block 16,16 --arg buf:f32:1024:random --arg buf:f32:2048 --arg i32:10000000
