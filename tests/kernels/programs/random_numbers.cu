// One generator per thread.
// run: --kernel draw --grid 1 --block 4 --arg buf:u32:4 --arg u32:3 --print out:0:2
// expect: [0] 2165703038 811535379
#include "common/check.h"
struct Generator {
  unsigned state;
  __device__ explicit Generator(unsigned seed) : state(seed) {}
  __device__ unsigned next() { return state = state * 1664525u + 1013904223u; }
};
__global__ void draw(unsigned* out, unsigned times) {
  Generator generator(threadIdx.x + 1);
  for (unsigned i = 0; i < times; ++i) out[threadIdx.x] = generator.next();
}

int main() {
  std::vector<unsigned> host(1024, unsigned(1));
  unsigned* x = to_device(host);
  Timer timer;
  draw<<<1, 4>>>(x, 3);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
