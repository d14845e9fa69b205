// Times calls of cuBLAS with events: one JSON line per call, with its sizes and the median of 15 runs. On the
// virtual GPU it prints the estimates. Argument: the largest order of a matrix (default 8192).
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

cublasHandle_t handle;
void *x, *y, *z;  // operands: zeros of any type

double median_ms(const std::function<void()>& call) {
  constexpr int kWarmUp = 3, kRuns = 15;
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  for (int i = 0; i < kWarmUp; ++i) call();
  std::vector<float> times(kRuns);
  for (float& ms : times) {
    cudaEventRecord(start);
    call();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

void time_call(const char* name, long m, long n, long k, const std::function<void()>& call) {
  std::printf("{\"call\":\"%s\",\"m\":%ld,\"n\":%ld,\"k\":%ld,\"ms\":%.6f}\n", name, m, n, k,
              median_ms(call));
  std::fflush(stdout);
}

template <class T>
T* as(void* memory) {
  return static_cast<T*>(memory);
}

const float kOne = 1, kZero = 0;
const double kOneDouble = 1, kZeroDouble = 0;

void time_products(int m, int n, int k) {
  time_call("sgemm", m, n, k, [=] {
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &kOne, as<float>(x), m, as<float>(y), k, &kZero,
                as<float>(z), m);
  });
  time_call("sgemm_tn", m, n, k, [=] {
    cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &kOne, as<float>(x), k, as<float>(y), k, &kZero,
                as<float>(z), m);
  });
}

void time_square(int s) {
  const __half one = __float2half(1.f), zero = __float2half(0.f);
  time_call("sgemm", s, s, s, [=] {
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &kOne, as<float>(x), s, as<float>(y), s, &kZero,
                as<float>(z), s);
  });
  time_call("dgemm", s, s, s, [=] {
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &kOneDouble, as<double>(x), s, as<double>(y), s,
                &kZeroDouble, as<double>(z), s);
  });
  time_call("hgemm", s, s, s, [=] {
    cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &one, as<__half>(x), s, as<__half>(y), s, &zero,
                as<__half>(z), s);
  });
  time_call("gemmex_h_f", s, s, s, [=] {
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &kOne, x, CUDA_R_16F, s, y, CUDA_R_16F, s, &kZero,
                 z, CUDA_R_32F, s, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
  time_call("gemmex_tf32", s, s, s, [=] {
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &kOne, x, CUDA_R_32F, s, y, CUDA_R_32F, s, &kZero,
                 z, CUDA_R_32F, s, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT);
  });
  time_call("sgemv", s, s, 1, [=] {
    cublasSgemv(handle, CUBLAS_OP_N, s, s, &kOne, as<float>(x), s, as<float>(y), 1, &kZero, as<float>(z), 1);
  });
  time_call("sgemv_t", s, s, 1, [=] {
    cublasSgemv(handle, CUBLAS_OP_T, s, s, &kOne, as<float>(x), s, as<float>(y), 1, &kZero, as<float>(z), 1);
  });
  time_call("dgemv", s, s, 1, [=] {
    cublasDgemv(handle, CUBLAS_OP_N, s, s, &kOneDouble, as<double>(x), s, as<double>(y), 1, &kZeroDouble,
                as<double>(z), 1);
  });
  time_call("sger", s, s, 1,
            [=] { cublasSger(handle, s, s, &kOne, as<float>(x), 1, as<float>(y), 1, as<float>(z), s); });
  time_call("sgeam", s, s, 1, [=] {
    cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, s, s, &kOne, as<float>(x), s, &kZero, as<float>(y), s,
                as<float>(z), s);
  });
  time_call("strsm", s, s, s, [=] {
    cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, s, s, &kOne,
                as<float>(x), s, as<float>(y), s);
  });
  time_call("ssyrk", s, s, s, [=] {
    cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, s, s, &kOne, as<float>(x), s, &kZero,
                as<float>(z), s);
  });
}

void time_vectors(int n) {
  void* result;
  cudaMalloc(&result, sizeof(double));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  time_call("sdot_device", n, 1, 1,
            [=] { cublasSdot(handle, n, as<float>(x), 1, as<float>(y), 1, as<float>(result)); });
  time_call("snrm2_device", n, 1, 1, [=] { cublasSnrm2(handle, n, as<float>(x), 1, as<float>(result)); });
  time_call("sasum_device", n, 1, 1, [=] { cublasSasum(handle, n, as<float>(x), 1, as<float>(result)); });
  time_call("isamax_device", n, 1, 1, [=] { cublasIsamax(handle, n, as<float>(x), 1, as<int>(result)); });
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  float sum = 0;
  time_call("sdot", n, 1, 1, [&, n] { cublasSdot(handle, n, as<float>(x), 1, as<float>(y), 1, &sum); });
  time_call("saxpy", n, 1, 1, [=] { cublasSaxpy(handle, n, &kOne, as<float>(x), 1, as<float>(y), 1); });
  time_call("sscal", n, 1, 1, [=] { cublasSscal(handle, n, &kOne, as<float>(x), 1); });
  time_call("scopy", n, 1, 1, [=] { cublasScopy(handle, n, as<float>(x), 1, as<float>(y), 1); });
  time_call("sswap", n, 1, 1, [=] { cublasSswap(handle, n, as<float>(x), 1, as<float>(y), 1); });
  time_call("daxpy", n, 1, 1,
            [=] { cublasDaxpy(handle, n, &kOneDouble, as<double>(x), 1, as<double>(y), 1); });
  cudaFree(result);
}

void time_batches(int s, int batch) {
  const long long each = static_cast<long long>(s) * s;
  time_call("sgemm_strided", s, batch, s, [=] {
    cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &kOne, as<float>(x), s, each,
                              as<float>(y), s, each, &kZero, as<float>(z), s, each, batch);
  });
}

}  // namespace

int main(int count, char** words) {
  const long most = count > 1 ? std::atol(words[1]) : 8192;
  const std::size_t bytes = 12ul * most * most * sizeof(float);
  for (void** memory : {&x, &y, &z}) {
    if (cudaMalloc(memory, bytes) != cudaSuccess) return 1;
    cudaMemset(*memory, 0, bytes);
  }
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  time_call("empty", 0, 0, 0, [] {});
  for (long s = 16; s <= most; s *= 2) time_square(static_cast<int>(s));
  for (const long m : {64l, 1024l, 8192l})
    for (const long n : {64l, 1024l, 8192l})
      for (const long k : {64l, 1024l, 8192l})
        if (std::max({m, n, k}) <= most)
          time_products(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k));
  for (long n = 1000; n <= 100'000'000; n *= 10)
    if (n <= 12 * most * most / 2) time_vectors(static_cast<int>(n));
  for (const long s : {8l, 16l, 32l, 64l, 128l})
    for (const long batch : {10l, 100l, 1000l, 10'000l})
      if (s * s * batch <= 12 * most * most) time_batches(static_cast<int>(s), static_cast<int>(batch));
}
