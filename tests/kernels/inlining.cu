// Nested inlined functions: with -lineinfo, an instruction has its own line and the lines of the callers.
__device__ __forceinline__ float load_at(const float* in, int i) { return in[i]; }

__device__ __forceinline__ float difference(const float* in, int i) {
  return load_at(in, i + 1) - load_at(in, i);
}

extern "C" __global__ void second_difference(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 2 < n) out[i] = difference(in, i + 1) - difference(in, i);
}

// run: --kernel second_difference --grid 2 --block 64 --arg buf:f32:100:random --arg buf:f32:98 --arg i32:100
