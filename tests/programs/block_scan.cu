// A scan per block with CUB; a second kernel adds the sums of the blocks.
#include "check.h"

#include <cub/block/block_scan.cuh>

__global__ void scan_blocks(const int* in, int* out, int* sums) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * 128 + threadIdx.x;
  int value = in[i], total;
  Scan(storage).ExclusiveSum(value, value, total);
  out[i] = value;
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
__global__ void add_sums(int* out, const int* sums) {
  int before = 0;
  for (unsigned block = 0; block < blockIdx.x; block++) before += sums[block];
  out[blockIdx.x * 128 + threadIdx.x] += before;
}

int main() {
  const int n = 1024;
  int h[n], *in, *out, *sums;
  for (int i = 0; i < n; i++) h[i] = i % 10;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, sizeof h));
  CHECK(cudaMalloc(&sums, 8 * sizeof(int)));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  scan_blocks<<<8, 128>>>(in, out, sums);
  add_sums<<<8, 128>>>(out, sums);
  CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", h[0], h[1], h[127], h[n - 1]);
  for (int* p : {in, out, sums}) CHECK(cudaFree(p));
}
