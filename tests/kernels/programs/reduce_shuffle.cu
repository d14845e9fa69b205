// Warps sum in registers, then the first warp sums the warps' results.
// run: --kernel reduce --grid 1 --block 256 --arg buf:i32:256:iota --arg buf:i32:1 --print out:0:1
// expect: [0] 32640
#include "common/check.h"
__inline__ __device__ int warp_sum(int value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}
__global__ void reduce(const int* in, int* out) {
  static __shared__ int sums[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  int value = warp_sum(in[threadIdx.x]);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / warpSize ? sums[lane] : 0;
  if (warp == 0) value = warp_sum(value);
  if (threadIdx.x == 0) *out = value;
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  reduce<<<1, 256>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
