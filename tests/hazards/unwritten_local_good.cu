// The array starts with zeros.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count[16] = {};
  for (int k = 0; k < 8; ++k) {
    const int digit = in[(i + k) % n] & 15;
    count[digit] += 1;
  }
  out[i] = count[in[i] & 15];
}
