// One level of a breadth-first search over a graph's edges.
// run: --kernel level --grid 1 --block 8 --arg buf:i32:9:iota --arg buf:i32:8:iota --arg buf:i32:8:iota --arg i32:3 --arg i32:7 --arg buf:i32:1:zero --print depth:3:1 --print changed:0:1
// expect: [3] 3
#include "common/check.h"
__global__ void level(const int* first, const int* edges, int* depth, int now, int nodes, int* changed) {
  int node = threadIdx.x;
  if (node >= nodes || depth[node] != now) return;
  for (int e = first[node]; e < first[node + 1]; ++e)
    if (depth[edges[e]] < 0) depth[edges[e]] = now + 1, *changed = 1;
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  level<<<1, 8>>>(x, x, x, 3, 7, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
