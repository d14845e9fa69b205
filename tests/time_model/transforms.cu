// Times and results of cuFFT and cuSPARSE: one JSON line per call, with its sizes, the median of 15 runs by events, and the
// root of the mean square error of its result against sums in double precision over the definition (of some lines of it). On the
// virtual GPU, the times are estimates. Argument: the largest number of elements (default 4194304).
#include <cufft.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

void require(bool holds, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: a call failed\n", line);
  std::exit(1);
}
#define REQUIRE(call) require((call) == 0, __LINE__)

double median_ms(const std::function<void()>& call) {
  constexpr int kWarmUp = 3, kRuns = 15;
  cudaEvent_t start, end;
  REQUIRE(cudaEventCreate(&start));
  REQUIRE(cudaEventCreate(&end));
  for (int i = 0; i < kWarmUp; ++i) call();
  std::vector<float> times(kRuns);
  for (float& ms : times) {
    REQUIRE(cudaEventRecord(start));
    call();
    REQUIRE(cudaEventRecord(end));
    REQUIRE(cudaEventSynchronize(end));
    REQUIRE(cudaEventElapsedTime(&ms, start, end));
  }
  REQUIRE(cudaEventDestroy(start));
  REQUIRE(cudaEventDestroy(end));
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, values.size() * sizeof(T)));
  REQUIRE(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> read(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  REQUIRE(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// A number between -1 and 1 for each place, the same everywhere.
double noise(std::size_t i) { return static_cast<double>((i * 2654435761u + 12345) % 65521) / 32760.5 - 1; }

// ---- cuFFT ---------------------------------------------------------------------------------------------

// The result at some places, against sums over the definition.
template <class C>
double error_at(const std::vector<C>& found, const std::vector<std::complex<double>>& in, const std::vector<int>& size) {
  double difference = 0, norm = 0;
  for (std::size_t probe = 0; probe < 4; ++probe) {
    const std::size_t place = probe * 7919 % in.size();
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      std::size_t left = i, right = place;
      double turns = 0;
      for (auto n = size.rbegin(); n != size.rend(); ++n) {
        turns += static_cast<double>(left % *n * (right % *n) % *n) / *n;
        left /= *n, right /= *n;
      }
      sum += in[i] * std::polar(1.0, -2 * M_PI * turns);
    }
    difference += std::norm(std::complex<double>(found[place].x, found[place].y) - sum), norm += std::norm(sum);
  }
  return std::sqrt(difference / norm);
}

cufftResult run(cufftHandle plan, cufftComplex* in, cufftComplex* out) { return cufftExecC2C(plan, in, out, CUFFT_FORWARD); }
cufftResult run(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out) {
  return cufftExecZ2Z(plan, in, out, CUFFT_FORWARD);
}

template <class C>
void transform(const char* name, cufftType type, std::vector<int> size, int batch) {
  std::size_t each = 1;
  for (const int n : size) each *= n;
  std::vector<std::complex<double>> in(each);
  std::vector<C> values(each * batch);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].x = static_cast<float>(noise(2 * (i % each))), values[i].y = static_cast<float>(noise(2 * (i % each) + 1));
    in[i % each] = {values[i].x, values[i].y};
  }
  C *from = on_device(values), *to = on_device(values);
  cufftHandle plan;
  REQUIRE(cufftPlanMany(&plan, static_cast<int>(size.size()), size.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch));
  const double ms = median_ms([&] { REQUIRE(run(plan, from, to)); });
  const auto found = read(to, each);
  std::printf("{\"call\":\"%s\",\"size\":[", name);
  for (std::size_t i = 0; i < size.size(); ++i) std::printf("%s%d", i ? "," : "", size[i]);
  std::printf("],\"batch\":%d,\"ms\":%.6f,\"error\":%.2e,\"first\":[%.9g,%.9g]}\n", batch, ms, error_at(found, in, size),
              double(found[1].x), double(found[1].y));
  std::fflush(stdout);
  REQUIRE(cufftDestroy(plan));
  REQUIRE(cudaFree(from));
  REQUIRE(cudaFree(to));
}

// ---- cuSPARSE ------------------------------------------------------------------------------------------

// Rows of about `width` elements near the diagonal.
void multiply(int rows, int width, int columns) {
  std::vector<int> offsets{0}, indices;
  std::vector<float> values;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < width; ++i) {
      const int column = row + (i - width / 2) * 37;
      if (column < 0 || column >= rows) continue;
      indices.push_back(column), values.push_back(static_cast<float>(noise(values.size())));
    }
    offsets.push_back(static_cast<int>(indices.size()));
  }
  std::vector<float> x(static_cast<std::size_t>(rows) * columns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(noise(i + 99));
  int *device_offsets = on_device(offsets), *device_indices = on_device(indices);
  float *device_values = on_device(values), *from = on_device(x), *to = on_device(x);
  const float one = 1, zero = 0;
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  REQUIRE(cusparseCreate(&handle));
  REQUIRE(cusparseCreateCsr(&a, rows, rows, indices.size(), device_offsets, device_indices, device_values,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  std::size_t bytes = 0;
  void* buffer = nullptr;
  double ms = 0;
  constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  if (columns == 1) {
    cusparseDnVecDescr_t in, out;
    REQUIRE(cusparseCreateDnVec(&in, rows, from, CUDA_R_32F));
    REQUIRE(cusparseCreateDnVec(&out, rows, to, CUDA_R_32F));
    REQUIRE(cusparseSpMV_bufferSize(handle, kPlain, &one, a, in, &zero, out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    REQUIRE(cudaMalloc(&buffer, bytes + 1));
    ms = median_ms([&] {
      REQUIRE(cusparseSpMV(handle, kPlain, &one, a, in, &zero, out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    });
    REQUIRE(cusparseDestroyDnVec(in));
    REQUIRE(cusparseDestroyDnVec(out));
  } else {
    cusparseDnMatDescr_t in, out;
    REQUIRE(cusparseCreateDnMat(&in, rows, columns, rows, from, CUDA_R_32F, CUSPARSE_ORDER_COL));
    REQUIRE(cusparseCreateDnMat(&out, rows, columns, rows, to, CUDA_R_32F, CUSPARSE_ORDER_COL));
    REQUIRE(cusparseSpMM_bufferSize(handle, kPlain, kPlain, &one, a, in, &zero, out, CUDA_R_32F,
                                    CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    REQUIRE(cudaMalloc(&buffer, bytes + 1));
    ms = median_ms([&] {
      REQUIRE(cusparseSpMM(handle, kPlain, kPlain, &one, a, in, &zero, out, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    });
    REQUIRE(cusparseDestroyDnMat(in));
    REQUIRE(cusparseDestroyDnMat(out));
  }
  const auto found = read(to, x.size());
  double difference = 0, norm = 0;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int i = offsets[row]; i < offsets[row + 1]; ++i)
        sum += double(values[i]) * x[static_cast<std::size_t>(column) * rows + indices[i]];
      difference += std::pow(found[static_cast<std::size_t>(column) * rows + row] - sum, 2), norm += sum * sum;
    }
  std::printf("{\"call\":\"%s\",\"rows\":%d,\"nnz\":%zu,\"columns\":%d,\"ms\":%.6f,\"error\":%.2e}\n",
              columns == 1 ? "spmv" : "spmm", rows, indices.size(), columns, ms, std::sqrt(difference / norm));
  std::fflush(stdout);
  REQUIRE(cusparseDestroySpMat(a));
  REQUIRE(cusparseDestroy(handle));
  for (void* memory : {(void*)device_offsets, (void*)device_indices, (void*)device_values, (void*)from, (void*)to, buffer})
    REQUIRE(cudaFree(memory));
}

}  // namespace

int main(int count, char** words) {
  const int most = count > 1 ? std::atoi(words[1]) : 4194304;
  for (const int n : {64, 100, 1024, 1009, 4096, 8192, 16384, 65536, 1048576, 4194304})
    for (const int batch : {1, 64, 1024}) {
      if (static_cast<long>(n) * batch > most) continue;
      transform<cufftComplex>("c2c", CUFFT_C2C, {n}, batch);
      transform<cufftDoubleComplex>("z2z", CUFFT_Z2Z, {n}, batch);
    }
  for (const int n : {64, 256, 1024, 2048})
    if (n * n <= most) transform<cufftComplex>("c2c", CUFFT_C2C, {n, n}, 1);
  for (const int n : {16, 60, 128})
    if (n * n * n <= most) transform<cufftComplex>("c2c", CUFFT_C2C, {n, n, n}, 1);
  for (const int rows : {1000, 10000, 100000, 1000000})
    for (const int width : {4, 16, 64}) {
      if (static_cast<long>(rows) * width > 4L * most) continue;
      multiply(rows, width, 1);
      if (rows <= 100000) multiply(rows, width, 16);
    }
}
