// The recursion steps over zero and continues with negative arguments.
__device__ __noinline__ int paths(int k) {
  if (k == 0) return 1;
  return paths(k - 1) + paths(k - 2);  // here
}
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  out[threadIdx.x] = paths(threadIdx.x % 8);
}
