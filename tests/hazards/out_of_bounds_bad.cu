// Vectors are added without a check of their length.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = in[i];  // here
  out[i] = 2 * value;
}
