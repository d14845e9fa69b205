// CUB's algorithms for a whole device, in two calls each: the first returns how much memory they need.
#include "check.h"

#include <cub/cub.cuh>

struct IsOdd {
  __device__ bool operator()(int x) const { return x % 2; }
};

int main() {
  const int n = 10000;
  static int h[n];
  for (int i = 0; i < n; i++) h[i] = (i * 7919) % 10007;
  int *in, *out, *count, total, selected, first[4];
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, sizeof h));
  CHECK(cudaMalloc(&count, sizeof(int)));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  void* scratch = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(scratch, bytes, in, count, n));
  CHECK(cudaMalloc(&scratch, bytes));
  CHECK(cub::DeviceReduce::Sum(scratch, bytes, in, count, n));
  CHECK(cudaMemcpy(&total, count, sizeof total, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(scratch));

  scratch = nullptr;
  CHECK(cub::DeviceSelect::If(scratch, bytes, in, out, count, n, IsOdd()));
  CHECK(cudaMalloc(&scratch, bytes));
  CHECK(cub::DeviceSelect::If(scratch, bytes, in, out, count, n, IsOdd()));
  CHECK(cudaMemcpy(&selected, count, sizeof selected, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(first, out, sizeof first, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(scratch));
  std::printf("%d, %d odd: %d %d %d %d\n", total, selected, first[0], first[1], first[2], first[3]);

  scratch = nullptr;
  CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n));
  CHECK(cudaMalloc(&scratch, bytes));
  CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n));
  CHECK(cudaMemcpy(first, out + n - 4, sizeof first, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", first[0], first[1], first[2], first[3]);
  CHECK(cudaFree(scratch));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(count));
}
