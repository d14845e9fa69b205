// Queries what managed memory was advised and prefetched: for parts of an array, and for all of it.
#include "check.h"

constexpr size_t kHalf = 1 << 21;

__global__ void touch(char* x) { x[blockIdx.x * 1024] += 1; }

int ask(const void* x, size_t bytes, cudaMemRangeAttribute attribute) {
  int answer = 77;
  CHECK(cudaMemRangeGetAttribute(&answer, sizeof answer, attribute, x, bytes));
  return answer;
}

void show(const char* when, const char* x) {
  std::printf("%s:", when);
  for (const cudaMemRangeAttribute attribute :
       {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation,
        cudaMemRangeAttributeLastPrefetchLocation, cudaMemRangeAttributePreferredLocationType,
        cudaMemRangeAttributeLastPrefetchLocationType})
    std::printf(" %d %d %d,", ask(x, kHalf, attribute), ask(x + kHalf, kHalf, attribute), ask(x, 2 * kHalf, attribute));
  int accessors[3];
  CHECK(cudaMemRangeGetAttribute(accessors, sizeof accessors, cudaMemRangeAttributeAccessedBy, x, kHalf));
  std::printf(" %d %d %d\n", accessors[0], accessors[1], accessors[2]);
}

int main() {
  const cudaMemLocation card = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  char* x;
  CHECK(cudaMallocManaged(&x, 2 * kHalf));
  for (size_t i = 0; i < 2 * kHalf; i++) x[i] = 1;
  show("at first", x);
  CHECK(cudaMemAdvise(x, kHalf, cudaMemAdviseSetReadMostly, card));
  CHECK(cudaMemAdvise(x + kHalf, kHalf, cudaMemAdviseSetPreferredLocation, host));
  CHECK(cudaMemAdvise(x, 2 * kHalf, cudaMemAdviseSetAccessedBy, card));
  show("advised", x);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  void* parts[] = {x, x + kHalf};
  size_t sizes[] = {kHalf, kHalf}, firsts[] = {0, 1};
  cudaMemLocation places[] = {card, host};
  CHECK(cudaMemPrefetchBatchAsync(parts, sizes, 2, places, firsts, 2, 0, stream));
  show("prefetched", x);
  CHECK(cudaMemPrefetchAsync(x, 2 * kHalf, card, 0, stream));
  touch<<<2 * kHalf / 1024, 1, 0, stream>>>(x);
  CHECK(cudaStreamSynchronize(stream));
  show("all to the card", x);
  CHECK(cudaMemAdvise(x, 2 * kHalf, cudaMemAdviseUnsetReadMostly, card));
  CHECK(cudaMemAdvise(x, 2 * kHalf, cudaMemAdviseUnsetPreferredLocation, card));
  CHECK(cudaMemAdvise(x, 2 * kHalf, cudaMemAdviseUnsetAccessedBy, card));
  show("unset", x);
  int sum = 0;
  for (size_t i = 0; i < 2 * kHalf; i++) sum += x[i];
  std::printf("%d\n", sum);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
}
