// A lecture's matrix multiplication in modern C++: namespaces, templates, host classes, a raw string.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <cuda_fp16.h>
#include "not_beside_this_file.h"

using namespace std;

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

constexpr int div_up(int a, int b) { return (a + b - 1) / b; }
constexpr int kTile = 16;
static_assert(div_up(17, kTile) == 2, "rounds up");

namespace matrices {

template <class T>
struct View {
  T* data;
  int columns;
  View(T* values, int width) : data{values}, columns(width) {}
  void print() const { std::cout << data[0] << '\n'; }
  HOST_DEVICE T& at(int row, int column) const { return data[row * columns + column]; }
};

// One block per tile.
template <class T, int kSize>
__global__ void __launch_bounds__(kSize * kSize)
    multiply(const T* __restrict__ a, const T* __restrict__ b, T* c, std::int32_t n, float scale = 1.0f) {
  __shared__ T tile_a[kSize][kSize], tile_b[kSize][kSize];
  const int row = blockIdx.y * kSize + threadIdx.y, column = blockIdx.x * kSize + threadIdx.x;
  T sum = 0;
  for (int step = 0; step < n; step += kSize) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + step + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kSize; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

class Timer {
 public:
  Timer() { start_ = std::chrono::steady_clock::now(); }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace matrices

extern "C" {
__global__ void squares(uint32_t* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int unused[div_up(33, 16)];
  if (i < n) out[i] = i * i + (unused == nullptr);
}
}

template <typename T>
std::vector<T> reference(const std::vector<T>& a, int n) {
  std::vector<T> c(a.size());
  for (int i = 0; i < n; ++i) c[i] = a[i];
  return c;
}

std::string usage = R"text(usage: multiply [n] { "quoted )" )text";
vector<float> shared_by_all(16);

int main() {
  matrices::Timer timer;
  std::vector<float> a(256, 1.0f);
  float *d_a, *d_c;
  cudaMalloc(&d_a, 1024);
  cudaMalloc(&d_c, 1024);
  matrices::multiply<float, kTile><<<dim3(1, 1), dim3(kTile, kTile)>>>(d_a, d_a, d_c, 16);
  auto report = [&](const char* what) { std::cout << what << timer.seconds() << "\n"; };
  report("it's done: {");
}
