// Pairs are read from odd elements on.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  const int2 pair = *reinterpret_cast<const int2*>(in + 2 * i + 1);  // here
  out[i] = pair.x + pair.y;
}
