// Transforms with cuFFT: one to three dimensions, in place, in batches with strides, between kernels of a stream, in a graph, and
// calls with wrong parameters. Results are printed with few digits, because libraries round differently.
// nvcc: -lcufft
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

#define FFT(call)                                                    \
  do {                                                               \
    const cufftResult status_ = (call);                              \
    if (status_ != CUFFT_SUCCESS) {                                  \
      std::printf("line %d: status %d\n", __LINE__, int(status_));   \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> read(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

double digits(double value) { return std::fabs(value) < 5e-4 ? 0 : value; }

// Two waves of 3 and 5 periods: the spectrum has four lines.
void find_waves() {
  constexpr int kCount = 60;
  std::vector<cufftComplex> signal(kCount);
  for (int i = 0; i < kCount; i++)
    signal[i] = {float(std::cos(2 * M_PI * 3 * i / kCount) + 0.5 * std::sin(2 * M_PI * 5 * i / kCount)), 0};
  cufftComplex* memory = on_device(signal);
  cufftHandle plan;
  FFT(cufftPlan1d(&plan, kCount, CUFFT_C2C, 1));
  FFT(cufftExecC2C(plan, memory, memory, CUFFT_FORWARD));
  const auto spectrum = read(memory, kCount);
  for (int k = 0; k < kCount; k++)
    if (std::hypot(spectrum[k].x, spectrum[k].y) > 0.01)
      std::printf("wave %d: %.3f %.3f\n", k, digits(spectrum[k].x), digits(spectrum[k].y));
  FFT(cufftExecC2C(plan, memory, memory, CUFFT_INVERSE));
  const auto back = read(memory, kCount);
  std::printf("and back: %.3f of %.3f\n", back[1].x / kCount, signal[1].x);
  FFT(cufftDestroy(plan));
  CHECK(cudaFree(memory));
}

// Real numbers of a volume, in place: each line has room for its complex numbers.
void transform_volume() {
  constexpr int kX = 6, kY = 7, kZ = 10, kRoom = 2 * (kZ / 2 + 1);
  std::vector<double> volume(kX * kY * kRoom, 0);
  double sum = 0;
  for (int i = 0; i < kX * kY * kZ; i++) sum += volume[i / kZ * kRoom + i % kZ] = i * 37 % 101 / 10.0;
  double* memory = on_device(volume);
  cufftHandle there, back;
  FFT(cufftPlan3d(&there, kX, kY, kZ, CUFFT_D2Z));
  FFT(cufftPlan3d(&back, kX, kY, kZ, CUFFT_Z2D));
  FFT(cufftExecD2Z(there, memory, (cufftDoubleComplex*)memory));
  const auto spectrum = read((cufftDoubleComplex*)memory, volume.size() / 2);
  std::printf("volume: %.3f of %.3f, %.3f %.3f\n", spectrum[0].x, sum, spectrum[30].x, spectrum[30].y);
  FFT(cufftExecZ2D(back, (cufftDoubleComplex*)memory, memory));
  const auto result = read(memory, volume.size());
  double worst = 0;
  for (int i = 0; i < kX * kY * kZ; i++) {
    const int at = i / kZ * kRoom + i % kZ;
    worst = std::fmax(worst, std::fabs(result[at] / (kX * kY * kZ) - volume[at]));
  }
  std::printf("and back: %s\n", worst < 1e-12 ? "the same" : "different");
  FFT(cufftDestroy(there));
  FFT(cufftDestroy(back));
  CHECK(cudaFree(memory));
}

// The columns of a matrix: a batch with a stride.
void transform_columns() {
  constexpr int kRows = 8, kColumns = 5;
  std::vector<cufftComplex> matrix(kRows * kColumns);
  for (int i = 0; i < kRows * kColumns; i++) matrix[i] = {float(i % 7), float(i % 3)};
  cufftComplex *memory = on_device(matrix), *result = on_device(matrix);
  int size[] = {kRows};
  cufftHandle plan;
  FFT(cufftPlanMany(&plan, 1, size, size, kColumns, 1, size, kColumns, 1, CUFFT_C2C, kColumns));
  FFT(cufftExecC2C(plan, memory, result, CUFFT_FORWARD));
  const auto spectrum = read(result, matrix.size());
  for (int column = 0; column < kColumns; column++)
    std::printf("column %d: %.3f %.3f, %.3f %.3f\n", column, spectrum[column].x, spectrum[column].y,
                digits(spectrum[3 * kColumns + column].x), digits(spectrum[3 * kColumns + column].y));
  FFT(cufftDestroy(plan));
  CHECK(cudaFree(memory));
  CHECK(cudaFree(result));
}

__global__ void multiply(cufftComplex* a, const cufftComplex* b, int n, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = {(a[i].x * b[i].x - a[i].y * b[i].y) * scale, (a[i].x * b[i].y + a[i].y * b[i].x) * scale};
}

// A circular convolution with a shift by 2, in a stream, and again as a graph.
void convolve() {
  constexpr int kCount = 16, kHalf = kCount / 2 + 1;
  std::vector<float> signal(kCount), shift(kCount, 0);
  for (int i = 0; i < kCount; i++) signal[i] = float(i * i % 11);
  shift[2] = 1;
  float *a = on_device(signal), *b = on_device(shift);
  cufftComplex *of_a, *of_b;
  CHECK(cudaMalloc(&of_a, kHalf * sizeof *of_a));
  CHECK(cudaMalloc(&of_b, kHalf * sizeof *of_b));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cufftHandle there, back;
  FFT(cufftPlan1d(&there, kCount, CUFFT_R2C, 1));
  FFT(cufftPlan1d(&back, kCount, CUFFT_C2R, 1));
  FFT(cufftSetStream(there, stream));
  FFT(cufftSetStream(back, stream));
  const auto work = [&] {
    FFT(cufftExecR2C(there, a, of_a));
    FFT(cufftExecR2C(there, b, of_b));
    multiply<<<1, 32, 0, stream>>>(of_a, of_b, kHalf, 1.0F / kCount);
    FFT(cufftExecC2R(back, of_a, a));
  };
  const auto show = [&](const char* name) {
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%s:", name);
    for (const float value : read(a, kCount)) std::printf(" %.1f", std::fabs(value));
    std::printf("\n");
  };
  work();
  show("shifted by 2");
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work();
  cudaGraph_t graph;
  cudaGraphExec_t launch;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&launch, graph, 0));
  for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(launch, stream));
  show("shifted by 8");
  CHECK(cudaGraphExecDestroy(launch));
  CHECK(cudaGraphDestroy(graph));
  FFT(cufftDestroy(there));
  FFT(cufftDestroy(back));
  CHECK(cudaStreamDestroy(stream));
  for (void* memory : {(void*)a, (void*)b, (void*)of_a, (void*)of_b}) CHECK(cudaFree(memory));
}

// Statuses that the documentation gives, and plans in two steps.
void make_in_steps() {
  cufftHandle plan;
  std::size_t bytes = 0;
  FFT(cufftCreate(&plan));
  FFT(cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, &bytes));
  int version = 0;
  FFT(cufftGetVersion(&version));
  std::printf("version %d, making it again: %d\n", version / 1000, cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, &bytes));
  FFT(cufftDestroy(plan));
  cufftComplex* none = nullptr;
  std::printf("destroyed: %d, no size: %d\n", cufftExecC2C(plan, none, none, CUFFT_FORWARD),
              cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
}

int main() {
  find_waves();
  transform_volume();
  transform_columns();
  convolve();
  make_in_steps();
}
