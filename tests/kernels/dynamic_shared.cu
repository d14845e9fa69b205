// Shared memory whose size the launch selects: one array, and one divided into two arrays.
extern __shared__ int pool[];

// Reverses the block's elements; the launch passes blockDim.x * 4 bytes.
extern "C" __global__ void reverse_block(const int* in, int* out) {
  const int base = blockIdx.x * blockDim.x;
  pool[threadIdx.x] = in[base + threadIdx.x];
  __syncthreads();
  out[base + threadIdx.x] = pool[blockDim.x - 1 - threadIdx.x];
}

// The launch passes blockDim.x * 12 bytes. Doubles come first because of their larger alignment.
extern "C" __global__ void two_arrays(const int* in, double* out) {
  double* squares = reinterpret_cast<double*>(pool);
  int* copies = reinterpret_cast<int*>(squares + blockDim.x);
  const int value = in[threadIdx.x];
  squares[threadIdx.x] = static_cast<double>(value) * value;
  copies[threadIdx.x] = value;
  __syncthreads();
  const int other = (threadIdx.x + 1) % blockDim.x;
  out[threadIdx.x] = squares[other] - copies[other];
}

// run: --kernel reverse_block --grid 3 --block 64 --shared 256 --arg buf:i32:192:iota --arg buf:i32:192
// run: --kernel two_arrays --grid 1 --block 64 --shared 768 --arg buf:i32:64:iota --arg buf:f64:64
