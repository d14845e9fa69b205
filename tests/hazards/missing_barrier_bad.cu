// Reverses the elements of a block: a thread reads what a thread of another warp wrote.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  tile[t] = in[first + t];  // other
  out[first + t] = tile[255 - t];  // here
}
