// Transposes a rows x cols matrix: directly from memory to memory, and through a padded shared tile.
constexpr int kTile = 16;

extern "C" __global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

// Blocks of kTile x kTile threads.
extern "C" __global__ void transpose_tiled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();
  col = blockIdx.y * kTile + threadIdx.x;
  row = blockIdx.x * kTile + threadIdx.y;
  if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
}

// run: --kernel transpose_naive --grid 3,2 --block 16,16 --arg buf:f32:1100:random --arg buf:f32:1100 --arg i32:25 --arg i32:44
// run: --kernel transpose_tiled --grid 3,2 --block 16,16 --arg buf:f32:1100:random --arg buf:f32:1100 --arg i32:25 --arg i32:44
