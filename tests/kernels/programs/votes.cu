// Votes of a warp: all, any, and which lanes have the same value.
// run: --kernel vote --grid 1 --block 32 --arg buf:u32:32:iota --arg buf:u32:3 --print out:0:3
// expect: [0] 1 0 1431655765
#include "common/check.h"
__global__ void vote(const unsigned* in, unsigned* out) {
  unsigned full = 0xffffffff, x = in[threadIdx.x];
  int all = __all_sync(full, x < 32), any = __any_sync(full, x > 100);
  unsigned same = __match_any_sync(full, x % 2);
  if (threadIdx.x == 0) out[0] = all, out[1] = any, out[2] = same;
}

int main() {
  std::vector<unsigned> host(1024, unsigned(1));
  unsigned* x = to_device(host);
  Timer timer;
  vote<<<1, 32>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
