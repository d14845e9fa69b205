// An instruction without a C++ function.
// run: --kernel lanes --grid 1 --block 64 --arg buf:u32:64 --print out:33:1
// expect: [33] 1
#include "common/check.h"
__device__ __forceinline__ unsigned lane_id() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__global__ void lanes(unsigned* out) { out[threadIdx.x] = lane_id(); }

int main() {
  std::vector<unsigned> host(64, unsigned(1));
  unsigned* x = to_device(host);
  Timer timer;
  lanes<<<1, 64>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
