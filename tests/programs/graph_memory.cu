// Memory that a graph allocates and the program frees: launches in a row, a launch while the memory is still
// allocated, and instances that free it themselves.
#include "check.h"

__global__ void fill(float* p, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}
__global__ void add(const float* p, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += p[i];
}

int main() {
  int n = 1000;
  float* sum;
  CHECK(cudaMalloc(&sum, n * sizeof(float)));
  CHECK(cudaMemset(sum, 0, n * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t allocates, fills, adds;
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = n * sizeof(float);
  CHECK(cudaGraphAddMemAllocNode(&allocates, graph, nullptr, 0, &memory));
  float *p = static_cast<float*>(memory.dptr), value = 2;
  void* fill_arguments[] = {&p, &n, &value};
  void* add_arguments[] = {&p, &sum, &n};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)fill;
  kernel.gridDim = dim3(4);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = fill_arguments;
  CHECK(cudaGraphAddKernelNode(&fills, graph, &allocates, 1, &kernel));
  kernel.func = (void*)add;
  kernel.kernelParams = add_arguments;
  CHECK(cudaGraphAddKernelNode(&adds, graph, &fills, 1, &kernel));

  cudaGraphExec_t instance;
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (int i = 0; i < 3; i++) {
    CHECK(cudaGraphLaunch(instance, stream));
    add<<<4, 256, 0, stream>>>(p, sum, n);
    CHECK(cudaFreeAsync(p, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  float h;
  CHECK(cudaMemcpy(&h, sum + 5, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g\n", h);

  CHECK(cudaGraphLaunch(instance, stream));
  std::printf("again, without a free: %s\n", cudaGetErrorName(cudaGraphLaunch(instance, stream)));
  cudaGetLastError();
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(instance));

  CHECK(cudaGraphInstantiate(&instance, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&h, sum + 5, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g\n", h);
  unsigned long long used = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  std::printf("%llu bytes of graphs\n", used);
  CHECK(cudaFree(p));
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(sum));
}
