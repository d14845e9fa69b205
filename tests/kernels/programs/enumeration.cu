// An enumeration selects the operation.
// run: --kernel calculate --grid 1 --block 4 --arg buf:i32:4:iota --arg i32:2 --print x:3:1
// expect: [3] 9
#include "common/check.h"
enum class Operation { kAdd, kSubtract, kMultiply };
__device__ int apply(Operation operation, int a, int b) {
  switch (operation) {
    case Operation::kAdd: return a + b;
    case Operation::kSubtract: return a - b;
    case Operation::kMultiply: return a * b;
  }
  return 0;
}
__global__ void calculate(int* x, Operation operation) {
  x[threadIdx.x] = apply(operation, x[threadIdx.x], x[threadIdx.x]);
}
const char* name_of(Operation operation) { return operation == Operation::kAdd ? "add" : "other"; }

int main() {
  std::puts(name_of(Operation::kAdd));
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  calculate<<<1, 4>>>(x, Operation::kMultiply);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
