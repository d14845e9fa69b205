// Transforms with cuFFT of memory that descriptors divide between GPUs; here both parts are on one GPU. Complex numbers in one and
// three dimensions, a kernel on the parts, and real numbers in place. Each result is compared with sums on the host.
// nvcc: -lcufft
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

using C = std::complex<float>;
using Z = std::complex<double>;
constexpr int kX = 6, kY = 5, kZ = 8;

// Result (x, y, z) of a transform of kX x kY x kZ numbers, which are `line` apart in the last dimension but one.
template <class T>
Z sum_of(const std::vector<T>& in, int line, int x, int y, int z) {
  Z sum = 0;
  for (int i = 0; i < kX; ++i)
    for (int j = 0; j < kY; ++j)
      for (int k = 0; k < kZ; ++k)
        sum += Z(in[(i * kY + j) * line + k]) *
               std::polar(1.0, -2 * M_PI * (double(i * x) / kX + double(j * y) / kY + double(k * z) / kZ));
  return sum;
}

void report(const char* name, double error) {
  if (error <= 1e-3)
    std::printf("%s: right\n", name);
  else
    std::printf("%s: wrong by %g\n", name, error);
}

cufftHandle plan_for(cufftType type, int rank) {
  int gpus[] = {0, 0};
  std::size_t bytes[2] = {};
  cufftHandle plan;
  FFT(cufftCreate(&plan));
  FFT(cufftXtSetGPUs(plan, 2, gpus));
  if (rank == 1)
    FFT(cufftMakePlan1d(plan, kX * kY * kZ, type, 1, bytes));
  else
    FFT(cufftMakePlan3d(plan, kX, kY, kZ, type, bytes));
  return plan;
}

void transform_volume() {
  std::vector<C> in(kX * kY * kZ), out(in.size()), back(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = C(float(i * 37 % 17) / 8, float(i * 11 % 13) / 8);
  const cufftHandle plan = plan_for(CUFFT_C2C, 3);
  cudaLibXtDesc* memory;
  FFT(cufftXtMalloc(plan, &memory, CUFFT_XT_FORMAT_INPLACE));
  FFT(cufftXtMemcpy(plan, memory, in.data(), CUFFT_COPY_HOST_TO_DEVICE));
  FFT(cufftXtExecDescriptor(plan, memory, memory, CUFFT_FORWARD));
  FFT(cufftXtMemcpy(plan, out.data(), memory, CUFFT_COPY_DEVICE_TO_HOST));
  double error = 0;
  for (int x = 0; x < kX; ++x)
    for (int y = 0; y < kY; ++y)
      for (int z = 0; z < kZ; ++z)
        error = std::fmax(error, std::abs(Z(out[(x * kY + y) * kZ + z]) - sum_of(in, kZ, x, y, z)));
  report("volume", error);
  FFT(cufftXtExecDescriptorC2C(plan, memory, memory, CUFFT_INVERSE));
  FFT(cufftXtMemcpy(plan, back.data(), memory, CUFFT_COPY_DEVICE_TO_HOST));
  error = 0;
  for (std::size_t i = 0; i < in.size(); ++i) error = std::fmax(error, std::abs(Z(back[i]) / double(in.size()) - Z(in[i])));
  report("volume and back", error);
  FFT(cufftXtFree(memory));
  FFT(cufftDestroy(plan));
}

__global__ void scale(cufftComplex* numbers, int count, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] = {numbers[i].x * by, numbers[i].y * by};
}

// There, a kernel on each part, and back.
void scale_spectrum() {
  std::vector<C> in(kX * kY * kZ), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = C(float(i % 7), float(i % 3));
  const cufftHandle plan = plan_for(CUFFT_C2C, 1);
  cudaLibXtDesc *memory, *ordered;
  FFT(cufftXtMalloc(plan, &memory, CUFFT_XT_FORMAT_INPLACE));
  FFT(cufftXtMalloc(plan, &ordered, CUFFT_XT_FORMAT_INPLACE));
  FFT(cufftXtMemcpy(plan, memory, in.data(), CUFFT_COPY_HOST_TO_DEVICE));
  FFT(cufftXtExecDescriptorC2C(plan, memory, memory, CUFFT_FORWARD));
  FFT(cufftXtMemcpy(plan, ordered, memory, CUFFT_COPY_DEVICE_TO_DEVICE));
  int parts = 0;
  for (; parts < ordered->descriptor->nGPUs; ++parts) {
    CHECK(cudaSetDevice(ordered->descriptor->GPUs[parts]));
    const int count = int(ordered->descriptor->size[parts] / sizeof(cufftComplex));
    scale<<<(count + 127) / 128, 128>>>((cufftComplex*)ordered->descriptor->data[parts], count, 2.0F / float(in.size()));
  }
  CHECK(cudaDeviceSynchronize());
  FFT(cufftXtExecDescriptorC2C(plan, ordered, ordered, CUFFT_INVERSE));
  FFT(cufftXtMemcpy(plan, out.data(), ordered, CUFFT_COPY_DEVICE_TO_HOST));
  double error = parts == 2 ? 0 : INFINITY;
  for (std::size_t i = 0; i < in.size(); ++i) error = std::fmax(error, std::abs(Z(out[i]) - 2.0 * Z(in[i])));
  report("kernel on the parts", error);
  FFT(cufftXtFree(memory));
  FFT(cufftXtFree(ordered));
  FFT(cufftDestroy(plan));
}

// Real numbers, with room for the complex ones in each line.
void transform_reals() {
  constexpr int kHalf = kZ / 2 + 1, kRoom = 2 * kHalf;
  std::vector<float> in(kX * kY * kRoom, 0), out(in.size());
  for (int i = 0; i < kX * kY * kZ; ++i) in[i / kZ * kRoom + i % kZ] = float(i * 37 % 17) / 8;
  const cufftHandle there = plan_for(CUFFT_R2C, 3), back = plan_for(CUFFT_C2R, 3);
  cudaLibXtDesc* memory;
  FFT(cufftXtMalloc(there, &memory, CUFFT_XT_FORMAT_INPLACE));
  FFT(cufftXtMemcpy(there, memory, in.data(), CUFFT_COPY_HOST_TO_DEVICE));
  FFT(cufftXtExecDescriptorR2C(there, memory, memory));
  FFT(cufftXtMemcpy(there, out.data(), memory, CUFFT_COPY_DEVICE_TO_HOST));
  double error = 0;
  for (int x = 0; x < kX; ++x)
    for (int y = 0; y < kY; ++y)
      for (int z = 0; z < kHalf; ++z) {
        const int at = 2 * ((x * kY + y) * kHalf + z);
        error = std::fmax(error, std::abs(Z(out[at], out[at + 1]) - sum_of(in, kRoom, x, y, z)));
      }
  report("reals", error);
  FFT(cufftXtExecDescriptor(back, memory, memory, CUFFT_INVERSE));
  FFT(cufftXtMemcpy(back, out.data(), memory, CUFFT_COPY_DEVICE_TO_HOST));
  error = 0;
  for (int i = 0; i < kX * kY * kZ; ++i) {
    const int at = i / kZ * kRoom + i % kZ;
    error = std::fmax(error, std::fabs(double(out[at]) / (kX * kY * kZ) - in[at]));
  }
  report("reals and back", error);
  FFT(cufftXtFree(memory));
  FFT(cufftDestroy(there));
  FFT(cufftDestroy(back));
}

int main() {
  transform_volume();
  scale_spectrum();
  transform_reals();
}
