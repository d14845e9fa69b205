// A kernel takes its operation as a type.
// run: --kernel apply<Square> --grid 1 --block 32 --arg buf:i32:32:iota --arg i32:32 --print x:5:1
// expect: [5] 25
// run: --kernel apply<Plus<7>> --grid 1 --block 32 --arg buf:i32:32:iota --arg i32:32 --print x:5:1
// expect: [5] 12
#include "common/check.h"
struct Square {
  __device__ int operator()(int x) const { return x * x; }
};
template <int N>
struct Plus {
  __device__ int operator()(int x) const { return x + N; }
};
template <class F>
__global__ void apply(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = F()(x[i]);
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  apply<Square><<<1, 32>>>(x, 32);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
