// The dot product: a tree in shared memory, then one atomic addition per block.
constexpr int kThreads = 128;

template <class Real>
__device__ void dot(const Real* a, const Real* b, Real* result, int n) {
  __shared__ Real partial[kThreads];
  Real sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) sum += a[i] * b[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, partial[0]);
}

// Blocks of kThreads; *result starts at zero.
extern "C" __global__ void dot_float(const float* a, const float* b, float* result, int n) {
  dot(a, b, result, n);
}
extern "C" __global__ void dot_double(const double* a, const double* b, double* result, int n) {
  dot(a, b, result, n);
}

// run: --kernel dot_float --grid 4 --block 128 --arg buf:f32:1000:random --arg buf:f32:1000:random --arg buf:f32:1:zero --arg i32:1000
// run: --kernel dot_double --grid 4 --block 128 --arg buf:f64:1000:random --arg buf:f64:1000:random --arg buf:f64:1:zero --arg i32:1000
