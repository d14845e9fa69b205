// A loop that the GPU runs by itself: a Jacobi iteration until little changes, captured into the body of a
// conditional node. The handle's value is 1 at the beginning of every launch.
#include "check.h"

#include <cmath>

constexpr int kCells = 64;

__global__ void relax(const float* from, float* to, float* largest_change) {
  const int i = threadIdx.x + 1;
  __shared__ float changes[kCells];
  to[i] = 0.5f * (from[i - 1] + from[i + 1]);
  changes[threadIdx.x] = fabsf(to[i] - from[i]);
  __syncthreads();
  if (threadIdx.x) return;
  float largest = 0;
  for (float change : changes) largest = fmaxf(largest, change);
  *largest_change = largest;
}

__global__ void go_on(const float* largest_change, int* rounds, cudaGraphConditionalHandle handle) {
  ++*rounds;
  cudaGraphSetConditional(handle, *largest_change > 1e-3f);
}

int main() {
  float *x, *y, *change, h[kCells + 2] = {};
  int *rounds, count;
  h[kCells + 1] = 1;
  CHECK(cudaMalloc(&x, sizeof h));
  CHECK(cudaMalloc(&y, sizeof h));
  CHECK(cudaMalloc(&change, sizeof *change));
  CHECK(cudaMalloc(&rounds, sizeof *rounds));
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCaptureToGraph(stream, loop.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  relax<<<1, kCells, 0, stream>>>(x, y, change);
  relax<<<1, kCells, 0, stream>>>(y, x, change);
  go_on<<<1, 1, 0, stream>>>(change, rounds, handle);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 2; launch++) {
    CHECK(cudaMemcpyAsync(x, h, sizeof h, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(y, h, sizeof h, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(rounds, 0, sizeof *rounds, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    float result[kCells + 2];
    CHECK(cudaMemcpyAsync(&count, rounds, sizeof count, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(result, x, sizeof result, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d rounds: %.4f %.4f %.4f\n", count, result[1], result[kCells / 2], result[kCells]);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaFree(change));
  CHECK(cudaFree(rounds));
}
