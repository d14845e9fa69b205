// Sums of seven neighbours from shared memory with a halo.
// run: --kernel stencil --grid 4 --block 64 --arg buf:i32:262:iota --arg buf:i32:262:zero --print out:10:1
// expect: [10] 70
#include "common/check.h"
#define RADIUS 3
#define BLOCK_SIZE 64
__global__ void stencil(const int* in, int* out) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS, l = threadIdx.x + RADIUS;
  temp[l] = in[g];
  if (threadIdx.x < RADIUS) {
    temp[l - RADIUS] = in[g - RADIUS];
    temp[l + BLOCK_SIZE] = in[g + BLOCK_SIZE];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[l + offset];
  out[g] = result;
}

int main() {
  std::vector<int> host(262, int(1));
  int* x = to_device(host);
  Timer timer;
  stencil<<<4, BLOCK_SIZE>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
