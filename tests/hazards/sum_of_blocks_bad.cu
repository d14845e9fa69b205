// Every block adds its sum to the total. Another block may write between a block's read and write.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  if (threadIdx.x == 0)
    *out += in[blockIdx.x];  // here // other
}
