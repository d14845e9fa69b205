// All warps write their results to the same variable.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int largest;
  const int t = threadIdx.x;
  if (t % 32 == 0) largest = in[blockIdx.x * 128 + t] + t;  // here // other
  __syncthreads();
  out[blockIdx.x * 128 + t] = largest;
}
