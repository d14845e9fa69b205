// Each thread allocates memory from the heap, uses it and frees it.
extern "C" __global__ void heap_lists(int* out, int length) {
  int* list = static_cast<int*>(malloc(length * sizeof(int)));
  if (list == nullptr) {
    out[threadIdx.x] = -1;
    return;
  }
  for (int i = 0; i < length; ++i) list[i] = i * threadIdx.x;
  int sum = 0;
  for (int i = 0; i < length; ++i) sum += list[i];
  free(list);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void heap_object(int* out) {
  int* number = new int(threadIdx.x);
  out[threadIdx.x] = *number + 1;
  delete number;
}

// run: --kernel heap_lists --grid 1 --block 64 --arg buf:i32:64 --arg i32:10
// run: --kernel heap_object --grid 1 --block 64 --arg buf:i32:64
