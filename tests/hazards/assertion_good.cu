// An assertion that holds.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  assert(in[i] >= 0);
  out[i] = in[i];
}
