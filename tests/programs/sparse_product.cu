// A sparse matrix in rows (CSR) times a vector: one warp per row, whose lanes add with shuffles.
#include "check.h"

#include <vector>

__global__ void multiply(int rows, const int* begins, const int* columns, const float* values, const float* x,
                         float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = begins[row] + lane; i < begins[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) y[row] = sum;
}

template <class T>
T* copied(const std::vector<T>& from) {
  T* to;
  CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

int main() {
  const int rows = 300;
  std::vector<int> begins{0}, columns;
  std::vector<float> values, x, y(rows);
  for (int row = 0; row < rows; row++) {
    for (int k = 0; k < (row * 37) % 80; k++) {
      columns.push_back((row + k * k) % rows);
      values.push_back((k % 9) - 4);
    }
    begins.push_back(columns.size());
    x.push_back(row % 13);
  }
  int *d_begins = copied(begins), *d_columns = copied(columns);
  float *d_values = copied(values), *d_x = copied(x), *d_y;
  CHECK(cudaMalloc(&d_y, rows * sizeof(float)));
  multiply<<<(rows * 32 + 127) / 128, 128>>>(rows, d_begins, d_columns, d_values, d_x, d_y);
  CHECK(cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float value : y) sum += value;
  std::printf("%zu values: %g %g %g %g\n", values.size(), y[1], y[2], y[rows - 1], sum);
  for (void* memory : {(void*)d_begins, (void*)d_columns, (void*)d_values, (void*)d_x, (void*)d_y})
    CHECK(cudaFree(memory));
}
