// A condition that fails, and a trap.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i > 40)
    __trap();  // here
  out[i] = in[i];
}
