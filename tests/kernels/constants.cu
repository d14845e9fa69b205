// Constant memory with and without initial values, and module variables.
__constant__ float coefficients[64];
__constant__ double thirds[4] = {0.0, 1.0 / 3, 2.0 / 3, 1.0};
__constant__ int table[2][3] = {{1, 2, 3}, {4}};
__device__ int counter = 7;
__device__ float gains[3] = {0.5f, -1.5f, 2.25f};

// All lanes read the same word: one broadcast.
extern "C" __global__ void polynomial(const float* x, float* y, int n, int degree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int d = degree; d >= 0; --d) sum = sum * x[i] + coefficients[d];
  y[i] = sum;
}

// Each lane reads a different word: the reads are serialized.
extern "C" __global__ void permuted(const int* index, float* out) {
  out[threadIdx.x] = coefficients[index[threadIdx.x] & 63];
}

extern "C" __global__ void initial_values(double* out, int* numbers) {
  if (threadIdx.x < 4) out[threadIdx.x] = thirds[threadIdx.x] * gains[threadIdx.x % 3];
  if (threadIdx.x < 6) numbers[threadIdx.x] = table[threadIdx.x / 3][threadIdx.x % 3];
  if (threadIdx.x == 0) numbers[6] = atomicAdd(&counter, 1);
}

// run: --kernel polynomial --grid 2 --block 64 --arg buf:f32:100:random --arg buf:f32:100 --arg i32:100 --arg i32:5
// run: --kernel permuted --grid 1 --block 64 --arg buf:i32:64:random --arg buf:f32:64
// run: --kernel initial_values --grid 1 --block 32 --arg buf:f64:4 --arg buf:i32:7
