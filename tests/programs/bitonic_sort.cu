// A bitonic sort: a launch per step across blocks, and one kernel in shared memory for the others.
#include "check.h"

#include <algorithm>
#include <vector>

constexpr unsigned kBlock = 256;

template <class T>
__device__ void order(T& a, T& b, bool is_rising) {
  if ((a > b) != is_rising) return;
  const T kept = a;
  a = b, b = kept;
}

__global__ void far(unsigned* x, unsigned length, unsigned step) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ step;
  if (other > i) order(x[i], x[other], (i & length) == 0);
}

__global__ void near(unsigned* x, unsigned length) {
  __shared__ unsigned part[kBlock];
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  part[threadIdx.x] = x[i];
  __syncthreads();
  for (unsigned step = min(length, kBlock) / 2; step > 0; step /= 2) {
    const unsigned other = threadIdx.x ^ step;
    if (other > threadIdx.x) order(part[threadIdx.x], part[other], (i & length) == 0);
    __syncthreads();
  }
  x[i] = part[threadIdx.x];
}

int main() {
  const unsigned n = 4096;
  std::vector<unsigned> h(n), sorted(n);
  for (unsigned i = 0; i < n; i++) h[i] = i * 2654435761u;
  unsigned* x;
  CHECK(cudaMalloc(&x, n * sizeof(unsigned)));
  CHECK(cudaMemcpy(x, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  for (unsigned length = 2; length <= n; length *= 2) {
    for (unsigned step = length / 2; step >= kBlock; step /= 2) far<<<n / kBlock, kBlock>>>(x, length, step);
    near<<<n / kBlock, kBlock>>>(x, length);
  }
  CHECK(cudaMemcpy(sorted.data(), x, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::sort(h.begin(), h.end());
  std::printf("%s: %u %u %u\n", h == sorted ? "sorted" : "not sorted", sorted[0], sorted[n / 2], sorted[n - 1]);
  CHECK(cudaFree(x));
}
