// An assertion that fails for one element.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  assert(in[i] != 40);  // here
  out[i] = in[i];
}
