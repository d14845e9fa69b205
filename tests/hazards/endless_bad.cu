// The index wraps around and never equals an odd length.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = 0; i != n; i = (i + 2) % 64)
    sum += in[i];  // here
  out[threadIdx.x] = sum;
}
