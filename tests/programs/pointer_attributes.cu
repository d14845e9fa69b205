// The kind of memory that a pointer refers to.
#include "check.h"

int main() {
  float *device, *pinned, *managed, stack;
  CHECK(cudaMalloc(&device, 4));
  CHECK(cudaMallocHost(&pinned, 4));
  CHECK(cudaMallocManaged(&managed, 4));
  for (float* pointer : {device, pinned, managed, &stack}) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, pointer));
    std::printf("%d ", attributes.type);
  }
  std::printf("\n");
  CHECK(cudaFree(device));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
}
