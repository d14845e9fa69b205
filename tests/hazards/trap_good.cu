// A condition that holds.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i > 1024) __trap();
  out[i] = in[i];
}
