// Wrong prefetches and advice, each with its error. managed_memory.txt contains the errors of an H100.
#include "try.h"

int main() {
  int *managed, *other, *device, *pinned, value = 0, values[2];
  cudaMallocManaged(&managed, 1 << 16);
  cudaMallocManaged(&other, 1 << 16);
  cudaMalloc(&device, 1 << 16);
  cudaMallocHost(&pinned, 1 << 16);
  cudaStream_t stream, destroyed;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&destroyed);
  const cudaMemLocation card = {cudaMemLocationTypeDevice, 0}, no_card = {cudaMemLocationTypeDevice, 99},
                        negative = {cudaMemLocationTypeDevice, -1}, at_host = {cudaMemLocationTypeHost, 0},
                        at_host_7 = {cudaMemLocationTypeHost, 7}, here = {cudaMemLocationTypeHostNumaCurrent, 0},
                        node = {cudaMemLocationTypeHostNuma, 0}, nowhere = {cudaMemLocationTypeInvalid, 0};

  TRY(cudaMemPrefetchAsync(managed, 1 << 16, card, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, at_host, 0, stream));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, at_host_7, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, here, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, node, 0));
  TRY(cudaMemPrefetchAsync(managed + 100, 4, card, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, no_card, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, negative, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, nowhere, 0));
  TRY(cudaMemPrefetchAsync(managed, 0, card, 0));
  TRY(cudaMemPrefetchAsync(managed, 1 << 16, card, 1));
  TRY(cudaMemPrefetchAsync(device, 1 << 16, card, 0));
  TRY(cudaMemPrefetchAsync(pinned, 1 << 16, card, 0));
  TRY(cudaMemPrefetchAsync(nullptr, 1 << 16, card, 0));

  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetReadMostly, no_card));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseUnsetReadMostly, nowhere));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetPreferredLocation, card));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetPreferredLocation, no_card));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetPreferredLocation, nowhere));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetPreferredLocation, node));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseUnsetPreferredLocation, no_card));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetAccessedBy, at_host));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetAccessedBy, no_card));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetAccessedBy, node));
  TRY(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseUnsetAccessedBy, no_card));
  TRY(cudaMemAdvise(managed, 1 << 16, (cudaMemoryAdvise)77, card));
  TRY(cudaMemAdvise(managed, 1 << 16, (cudaMemoryAdvise)0, card));
  TRY(cudaMemAdvise(managed, 0, cudaMemAdviseSetReadMostly, card));
  TRY(cudaMemAdvise(device, 1 << 16, cudaMemAdviseSetReadMostly, card));
  TRY(cudaMemAdvise(pinned, 1 << 16, cudaMemAdviseSetReadMostly, card));
  TRY(cudaMemAdvise(nullptr, 1 << 16, cudaMemAdviseSetReadMostly, card));

  void *both[] = {managed, other}, *mixed[] = {managed, device};
  size_t sizes[] = {1 << 16, 1 << 16}, nothing[] = {1 << 16, 0}, from_first[] = {0, 1}, from_second[] = {1, 1},
         same[] = {0, 0}, far[] = {0, 2};
  cudaMemLocation places[] = {card, at_host}, wrong[] = {card, no_card};
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, from_first, 1, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, from_first, 2, 0, nullptr));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, wrong, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(mixed, sizes, 2, places, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, nothing, 2, places, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, from_second, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, same, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, far, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 1, places, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 0, places, from_first, 1, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, from_first, 0, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(nullptr, sizes, 2, places, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, nullptr, from_first, 2, 0, stream));
  TRY(cudaMemPrefetchBatchAsync(both, sizes, 2, places, from_first, 2, 1, stream));

  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 1 << 16));
  TRY(cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly, managed, 1 << 16));
  TRY(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)77, managed, 1 << 16));
  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, device, 1 << 16));
  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 0));
  TRY(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, managed, 1 << 16));
  TRY(cudaMemRangeGetAttribute(values, 6, cudaMemRangeAttributeAccessedBy, managed, 1 << 16));

  TRY(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachSingle));
  TRY(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachGlobal));
  TRY(cudaStreamAttachMemAsync(stream, managed, 100, cudaMemAttachSingle));
  TRY(cudaStreamAttachMemAsync(stream, managed, 0, 77));
  TRY(cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachSingle));
  TRY(cudaStreamAttachMemAsync(nullptr, managed, 0, cudaMemAttachSingle));
  cudaStreamDestroy(destroyed);
}
