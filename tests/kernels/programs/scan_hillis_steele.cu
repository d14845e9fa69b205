// An inclusive scan with two buffers of shared memory.
// run: --kernel scan --grid 1 --block 64 --shared 512 --arg buf:i32:64:iota --arg buf:i32:64 --arg i32:64 --print out:63:1
// expect: [63] 2016
#include "common/check.h"
__global__ void scan(const int* in, int* out, int n) {
  extern __shared__ int buffers[];
  int from = 0, to = 1, t = threadIdx.x;
  buffers[t] = in[t];
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    buffers[to * n + t] = buffers[from * n + t] + (t >= offset ? buffers[from * n + t - offset] : 0);
    __syncthreads();
    from = to;
    to = 1 - from;
  }
  out[t] = buffers[from * n + t];
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  scan<<<1, 64, 512>>>(x, x, 64);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
