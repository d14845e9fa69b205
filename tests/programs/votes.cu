// Lanes vote, find lanes with equal values, and count themselves.
#include "check.h"

__global__ void vote(const int* x, unsigned* out) {
  const int value = x[threadIdx.x];
  const unsigned even = __ballot_sync(~0u, value % 2 == 0);
  const unsigned equal = __match_any_sync(~0u, value % 4);
  const int all = __all_sync(~0u, value < 100), any = __any_sync(~0u, value > 90);
  if (threadIdx.x == 3) {
    out[0] = even;
    out[1] = equal;
    out[2] = all * 10 + any;
    out[3] = __popc(even & ((1u << threadIdx.x) - 1));
  }
}

int main() {
  int x[32], *d;
  unsigned h[4], *out;
  for (int i = 0; i < 32; i++) x[i] = i * 7 % 41;
  CHECK(cudaMalloc(&d, sizeof x));
  CHECK(cudaMalloc(&out, sizeof h));
  CHECK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
  vote<<<1, 32>>>(d, out);
  CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%08x %08x %u %u\n", h[0], h[1], h[2], h[3]);
  CHECK(cudaFree(d));
  CHECK(cudaFree(out));
}
