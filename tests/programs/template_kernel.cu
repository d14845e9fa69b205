// Two instances of one template.
#include "check.h"

template <class T, int N>
__global__ void fill(T* out, T value) {
  for (int i = threadIdx.x; i < N; i += blockDim.x) out[i] = value + i;
}

int main() {
  int a[10], *da;
  double b[20], *db;
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof b));
  fill<int, 10><<<1, 4>>>(da, 7);
  fill<double, 20><<<1, 4>>>(db, 0.5);
  CHECK(cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost));
  std::printf("%d %g\n", a[9], b[19]);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
}
