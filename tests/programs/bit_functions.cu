// Device functions for bits and packed bytes.
#include "check.h"

__global__ void count(const unsigned* in, int* out) {
  const unsigned x = in[threadIdx.x];
  int* const mine = out + 8 * threadIdx.x;
  mine[0] = __popc(x), mine[1] = __clz(x), mine[2] = __ffs(x), mine[3] = __brev(x);
  mine[4] = __byte_perm(x, 0x12345678, 0x5160);
  mine[5] = __dp4a((int)x, 0x01020304, 100);
  mine[6] = __funnelshift_l(x, 0xf0000001, 4);
  mine[7] = __vadd4(x, 0x01ff01ff);
}

int main() {
  const unsigned h[4] = {0, 1, 0x80000000, 0x00ff1234};
  unsigned* in;
  int *out, results[4][8];
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, sizeof results));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  count<<<1, 4>>>(in, out);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (auto& row : results) {
    for (int value : row) std::printf("%x ", value);
    std::printf("\n");
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}
