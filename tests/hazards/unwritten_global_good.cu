// The output is written before it is read.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = 0;
  out[i] += in[i];
}
