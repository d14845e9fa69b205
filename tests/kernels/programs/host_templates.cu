// Instances of a host template that launches an instance of a kernel.
// run: --kernel fill<int> --grid 1 --block 32 --arg buf:i32:32 --arg i32:9 --print x:31:1
// expect: [31] 9
#include "common/check.h"
template <class T>
__global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
template <class T>
void launch(T* x, T value) {
  fill<<<1, 32>>>(x, value);
  CHECK(cudaGetLastError());
}
template <>
void launch<char>(char*, char) {
  std::puts("no characters");
}
template void launch<int>(int*, int);
template void launch<double>(double*, double);

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  launch(x, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
