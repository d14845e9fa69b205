// A sparse matrix in compressed rows times a vector, one thread per row.
// run: --kernel spmv --grid 1 --block 32 --arg i32:31 --arg buf:i32:32:iota --arg buf:i32:32:iota --arg buf:f32:32:iota --arg buf:f32:32:iota --arg buf:f32:32:zero --print y:30:1
// expect: [30] 900
#include "common/check.h"
__global__ void spmv(int rows, const int* row_begin, const int* column, const float* value, const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int at = row_begin[row]; at < row_begin[row + 1]; ++at) sum += value[at] * x[column[at]];
  y[row] = sum;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  spmv<<<1, 32>>>(0, nullptr, nullptr, x, x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
