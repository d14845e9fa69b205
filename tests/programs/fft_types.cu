// Transforms with cuFFT whose types are values: half precision and bfloat16, real and complex, in one and two dimensions, with
// strides, beside the same transforms of float. Each result is compared with sums on the host.
// nvcc: -lcufft
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "check.h"

#define FFT(call)                                                  \
  do {                                                             \
    const cufftResult status_ = (call);                            \
    if (status_ != CUFFT_SUCCESS) {                                \
      std::printf("line %d: status %d\n", __LINE__, int(status_)); \
      std::exit(1);                                                \
    }                                                              \
  } while (0)

using Z = std::complex<double>;
constexpr int kRows = 4, kColumns = 16, kBatch = 3, kHalf = kColumns / 2 + 1;

// Real numbers in device memory; two of them are a complex one.
template <class T>
struct Memory {
  T* memory = nullptr;
  int count;
  explicit Memory(const std::vector<double>& values) : count(int(values.size())) {
    std::vector<T> narrow;
    for (const double value : values) narrow.push_back(T(float(value)));
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    CHECK(cudaMemcpy(memory, narrow.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Memory() { CHECK(cudaFree(memory)); }
  std::vector<double> read() const {
    std::vector<T> narrow(count);
    CHECK(cudaMemcpy(narrow.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    std::vector<double> values;
    for (const T value : narrow) values.push_back(float(value));
    return values;
  }
};

// One result of a transform of kRows x kColumns numbers.
Z sum_of(const std::vector<Z>& in, int first, int row, int column, int rows) {
  Z sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < kColumns; ++j)
      sum += in[first + i * kColumns + j] *
             std::polar(1.0, -2 * M_PI * (double(i * row) / rows + double(j * column) / kColumns));
  return sum;
}

template <class T>
void transform(const char* name, cudaDataType real, cudaDataType complex, double tolerance) {
  std::vector<double> numbers;
  for (int i = 0; i < 2 * kBatch * kRows * kColumns; ++i) numbers.push_back(i * 37 % 17 / 8.0 - 1);
  std::vector<Z> in;
  for (std::size_t i = 0; i < numbers.size(); i += 2) in.push_back(Z(numbers[i], numbers[i + 1]));

  // A batch in two dimensions, there and back in place.
  long long size[] = {kRows, kColumns};
  std::size_t bytes = 0, asked = 0;
  cufftHandle plan;
  FFT(cufftCreate(&plan));
  FFT(cufftXtGetSizeMany(plan, 2, size, nullptr, 1, 0, complex, nullptr, 1, 0, complex, kBatch, &asked, complex));
  FFT(cufftXtMakePlanMany(plan, 2, size, nullptr, 1, 0, complex, nullptr, 1, 0, complex, kBatch, &bytes, complex));
  double error = asked == bytes ? 0 : INFINITY;
  const Memory<T> batch(numbers);
  FFT(cufftXtExec(plan, batch.memory, batch.memory, CUFFT_FORWARD));
  const std::vector<double> spectrum = batch.read();
  for (int b = 0; b < kBatch; ++b)
    for (int i = 0; i < kRows * kColumns; ++i) {
      const int at = b * kRows * kColumns + i;
      const Z wanted = sum_of(in, b * kRows * kColumns, i / kColumns, i % kColumns, kRows);
      error = std::fmax(error, std::abs(Z(spectrum[2 * at], spectrum[2 * at + 1]) - wanted));
    }
  FFT(cufftXtExec(plan, batch.memory, batch.memory, CUFFT_INVERSE));
  const std::vector<double> back = batch.read();
  for (std::size_t i = 0; i < back.size(); ++i)
    error = std::fmax(error, std::fabs(back[i] / (kRows * kColumns) - numbers[i]));
  FFT(cufftDestroy(plan));

  // Real lines to complex ones with a gap after each, and back. The gaps stay as they are.
  constexpr int kGap = 3, kLine = kHalf + kGap;
  long long line[] = {kColumns}, padded[] = {kLine};
  cufftHandle there, again;
  FFT(cufftCreate(&there));
  FFT(cufftCreate(&again));
  FFT(cufftXtMakePlanMany(there, 1, line, line, 1, kColumns, real, padded, 1, kLine, complex, kBatch, &bytes, complex));
  FFT(cufftXtMakePlanMany(again, 1, line, padded, 1, kLine, complex, line, 1, kColumns, real, kBatch, &bytes, complex));
  const std::vector<double> reals(numbers.begin(), numbers.begin() + kBatch * kColumns);
  const Memory<T> lines(reals), half(std::vector<double>(2 * kBatch * kLine, 7)), result(reals);
  FFT(cufftXtExec(there, lines.memory, half.memory, CUFFT_FORWARD));
  const std::vector<double> halves = half.read();
  const std::vector<Z> wide(reals.begin(), reals.end());
  for (int b = 0; b < kBatch; ++b)
    for (int i = 0; i < kLine; ++i) {
      const Z wanted = i < kHalf ? sum_of(wide, b * kColumns, 0, i, 1) : Z(7, 7);
      const int at = 2 * (b * kLine + i);
      error = std::fmax(error, std::abs(Z(halves[at], halves[at + 1]) - wanted));
    }
  FFT(cufftXtExec(again, half.memory, result.memory, CUFFT_INVERSE));
  const std::vector<double> returned = result.read();
  for (std::size_t i = 0; i < reals.size(); ++i) error = std::fmax(error, std::fabs(returned[i] / kColumns - reals[i]));
  FFT(cufftDestroy(there));
  FFT(cufftDestroy(again));
  if (error <= tolerance)
    std::printf("%s: right\n", name);
  else
    std::printf("%s: wrong by %g\n", name, error);
}

int main() {
  transform<__half>("half", CUDA_R_16F, CUDA_C_16F, 0.05);
  transform<__nv_bfloat16>("bfloat16", CUDA_R_16BF, CUDA_C_16BF, 0.4);
  transform<float>("float", CUDA_R_32F, CUDA_C_32F, 1e-4);
  transform<double>("double", CUDA_R_64F, CUDA_C_64F, 1e-5);
}
