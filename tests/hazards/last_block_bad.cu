// The last block adds the sums of all blocks, but no fence makes them visible before the ticket.
__device__ int tickets;
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  __shared__ bool is_last;
  const int t = threadIdx.x;
  if (t == 0) {
    out[1 + blockIdx.x] = in[blockIdx.x];  // other
    is_last = atomicAdd(&tickets, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || t != 0) return;
  int sum = 0;
  for (int block = 0; block < gridDim.x; ++block)
    sum += out[1 + block];  // here
  out[0] = sum;
  tickets = 0;
}
