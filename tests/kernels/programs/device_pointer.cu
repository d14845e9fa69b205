// A __device__ pointer that the host sets.
// run: --kernel read --grid 1 --block 8 --arg buf:f32:8 --symbol table=buf:f32:64:iota --print out:7:1
// expect: [7] 49
#include "common/check.h"
__device__ const float* table;
__global__ void read(float* out) { out[threadIdx.x] = table[threadIdx.x * 7]; }

int main() {
  const float* address = to_device(std::vector<float>(64));
  CHECK(cudaMemcpyToSymbol(table, &address, sizeof address));
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  read<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
