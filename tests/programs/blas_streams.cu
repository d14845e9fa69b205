// cuBLAS beside kernels of one's own: a handle per stream, a multiplication and a kernel in one stream, events around
// them, scalars in device memory, and a graph.
// nvcc: -lcublas
#include <cublas_v2.h>

#include <cstdio>
#include <vector>

#include "check.h"

#define BLAS(call)                                                                       \
  do {                                                                                   \
    const cublasStatus_t status = (call);                                                \
    if (status != CUBLAS_STATUS_SUCCESS) {                                               \
      std::printf("%s: %s\n", cublasGetStatusName(status), cublasGetStatusString(status)); \
      return 1;                                                                          \
    }                                                                                    \
  } while (0)

__global__ void add_one(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
}

int main() {
  constexpr int kSize = 96, kCount = kSize * kSize;
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (int i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i % 7 - 3);
    b[i] = static_cast<float>(i % 5 - 2);
  }
  float *device_a, *device_b, *device_c[2], *factors;
  CHECK(cudaMalloc(&device_a, kCount * sizeof(float)));
  CHECK(cudaMalloc(&device_b, kCount * sizeof(float)));
  CHECK(cudaMalloc(&factors, 2 * sizeof(float)));
  BLAS(cublasSetMatrix(kSize, kSize, sizeof(float), a.data(), kSize, device_a, kSize));
  BLAS(cublasSetMatrix(kSize, kSize, sizeof(float), b.data(), kSize, device_b, kSize));
  const float two_and_zero[] = {2, 0}, one = 1, zero = 0;
  BLAS(cublasSetVector(2, sizeof(float), two_and_zero, 1, factors, 1));

  // Two streams with a handle each: C = A B, or C = 2 A B^T with factors in device memory; then C += 1.
  cudaStream_t streams[2];
  cublasHandle_t handles[2];
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMalloc(&device_c[i], kCount * sizeof(float)));
    CHECK(cudaStreamCreate(&streams[i]));
    BLAS(cublasCreate(&handles[i]));
    BLAS(cublasSetStream(handles[i], streams[i]));
  }
  BLAS(cublasSetPointerMode(handles[1], CUBLAS_POINTER_MODE_DEVICE));
  CHECK(cudaEventRecord(begin, streams[0]));
  for (int i = 0; i < 2; ++i) {
    BLAS(cublasSgemm(handles[i], CUBLAS_OP_N, i ? CUBLAS_OP_T : CUBLAS_OP_N, kSize, kSize, kSize, i ? factors : &one,
                     device_a, kSize, device_b, kSize, i ? factors + 1 : &zero, device_c[i], kSize));
    add_one<<<(kCount + 255) / 256, 256, 0, streams[i]>>>(device_c[i], kCount);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaEventRecord(end, streams[0]));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamSynchronize(streams[i]));
    BLAS(cublasGetMatrix(kSize, kSize, sizeof(float), device_c[i], kSize, c.data(), kSize));
    int wrong = 0;
    for (int column = 0; column < kSize; ++column)
      for (int row = 0; row < kSize; ++row) {
        float sum = 0;
        for (int k = 0; k < kSize; ++k)
          sum += a[row + k * kSize] * (i ? b[column + k * kSize] : b[k + column * kSize]);
        wrong += c[row + column * kSize] != (i ? 2 * sum : sum) + 1;
      }
    std::printf("stream %d: %d wrong elements\n", i, wrong);
  }
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  std::printf("the events are in order: %d\n", ms > 0);

  // Values that return to the host, and one that stays on the device.
  float norm = 0, sum = 0;
  int largest = 0;
  BLAS(cublasSasum(handles[0], kSize, device_a, 1, &sum));
  BLAS(cublasSnrm2(handles[0], 4, device_a, 1, &norm));
  BLAS(cublasIsamax(handles[0], kSize, device_a, 1, &largest));
  std::printf("sum of magnitudes %g, norm^2 %.3f, largest at %d\n", sum, norm * norm, largest);
  BLAS(cublasSdot(handles[1], kSize, device_a, 1, device_b, 1, factors));
  CHECK(cudaStreamSynchronize(streams[1]));
  BLAS(cublasGetVector(1, sizeof(float), factors, 1, &sum, 1));
  std::printf("dot product %g\n", sum);

  // A graph that holds a call.
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
  BLAS(cublasSscal(handles[0], kCount, &two_and_zero[0], device_c[0], 1));
  CHECK(cudaStreamEndCapture(streams[0], &graph));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  float before = 0, after = 0;
  BLAS(cublasGetVector(1, sizeof(float), device_c[0] + 1, 1, &before, 1));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(instance, streams[0]));
  CHECK(cudaStreamSynchronize(streams[0]));
  BLAS(cublasGetVector(1, sizeof(float), device_c[0] + 1, 1, &after, 1));
  std::printf("after three launches: %g, %g\n", before, after);
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));

  for (int i = 0; i < 2; ++i) {
    BLAS(cublasDestroy(handles[i]));
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(device_c[i]));
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(factors));
  CHECK(cudaFree(device_a));
  CHECK(cudaFree(device_b));
}
