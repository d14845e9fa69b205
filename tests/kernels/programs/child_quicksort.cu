// Quicksort that launches itself for both halves.
// run: --kernel reversed --grid 1 --block 1 --arg buf:i32:64:iota --arg i32:64 --print x:0:4
// expect: [0] -63 -62 -61 -60
#include "common/check.h"
#define DEEPEST 16
__device__ void selection_sort(int* x, int left, int right) {
  for (int i = left; i <= right; ++i) {
    int least = i;
    for (int j = i + 1; j <= right; ++j)
      if (x[j] < x[least]) least = j;
    int old = x[i];
    x[i] = x[least];
    x[least] = old;
  }
}
__global__ void quicksort(int* x, int left, int right, int depth) {
  if (depth >= DEEPEST || right - left <= 8) return selection_sort(x, left, right);
  int *l = x + left, *r = x + right, pivot = x[(left + right) / 2];
  while (l <= r) {
    while (*l < pivot) ++l;
    while (*r > pivot) --r;
    if (l > r) break;
    int old = *l;
    *l++ = *r;
    *r-- = old;
  }
  cudaStream_t stream;
  if (left < r - x) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(x, left, r - x, depth + 1);
    cudaStreamDestroy(stream);
  }
  if (l - x < right) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, l - x, right, depth + 1);
}
__global__ void reversed(int* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = -x[i];
  quicksort<<<1, 1>>>(x, 0, n - 1, 0);
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  reversed<<<1, 1>>>(x, 64);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
