// Pairs of lanes write different values to one element in the same instruction.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ int tile[16];
  const int t = threadIdx.x;
  tile[t / 2] = t;  // here // other
  __syncwarp();
  out[t] = tile[t / 2];
}
