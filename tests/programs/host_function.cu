// A host function in the order of a stream.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

void CUDART_CB note(void* data) { *static_cast<int*>(data) += 1; }
void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<int*>(data) += status == cudaSuccess ? 10 : 100;
}

int main() {
  int notes = 0;
  float* d;
  cudaStream_t stream;
  CHECK(cudaMalloc(&d, 128));
  CHECK(cudaMemset(d, 0, 128));
  CHECK(cudaStreamCreate(&stream));
  scale<<<1, 32, 0, stream>>>(d, 32, 1);
  CHECK(cudaLaunchHostFunc(stream, note, &notes));
  CHECK(cudaStreamAddCallback(stream, callback, &notes, 0));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d\n", notes);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d));
}
