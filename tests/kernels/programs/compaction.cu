// Compacts the even numbers with ballots.
// run: --kernel compact --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32:zero --print out:0:3
// expect: [0] 0 2 4
#include "common/check.h"
__global__ void compact(const int* in, int* out) {
  int lane = threadIdx.x, value = in[lane];
  bool keep = value % 2 == 0;
  unsigned kept = __ballot_sync(0xffffffffu, keep);
  int rank = __popc(kept & ((1u << lane) - 1));
  if (keep) out[rank] = value;
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  compact<<<1, 32>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
