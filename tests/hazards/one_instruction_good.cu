// In each pair of lanes, only one writes.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[16];
  const int t = threadIdx.x;
  if (t % 2 == 0) tile[t / 2] = t;
  __syncwarp();
  out[t] = tile[t / 2];
}
