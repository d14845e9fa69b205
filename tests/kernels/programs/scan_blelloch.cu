// An exclusive scan: up the tree, then down again.
// run: --kernel scan --grid 1 --block 32 --arg buf:i32:64:iota --arg buf:i32:64 --print out:63:1
// expect: [63] 1953
#include "common/check.h"
#define N 64
__global__ void scan(const int* in, int* out) {
  __shared__ int tree[N];
  int t = threadIdx.x, offset = 1;
  tree[2 * t] = in[2 * t];
  tree[2 * t + 1] = in[2 * t + 1];
  for (int d = N >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) tree[N - 1] = 0;
  for (int d = 1; d < N; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, old = tree[left];
      tree[left] = tree[right];
      tree[right] += old;
    }
  }
  __syncthreads();
  out[2 * t] = tree[2 * t];
  out[2 * t + 1] = tree[2 * t + 1];
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  scan<<<1, 32>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
