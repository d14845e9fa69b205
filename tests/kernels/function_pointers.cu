// Calls through a table of functions, selected by the data.
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float negate(float x) { return -x; }
__device__ Function functions[3] = {twice, square, negate};

extern "C" __global__ void apply_chosen(const float* in, const int* choice, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = functions[choice[i]](in[i]);
}

__device__ __noinline__ float sum_of(Function function, float a, float b) {
  return function(a) + function(b);
}

extern "C" __global__ void pass_function(const float* in, float* out, int which) {
  out[threadIdx.x] = sum_of(functions[which], in[threadIdx.x], 1.0f);
}

// run: --kernel apply_chosen --grid 1 --block 3 --arg buf:f32:3:random --arg buf:i32:3:iota --arg buf:f32:3 --arg i32:3
// run: --kernel pass_function --grid 1 --block 32 --arg buf:f32:32:random --arg buf:f32:32 --arg i32:1
