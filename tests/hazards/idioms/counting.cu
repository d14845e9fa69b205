// Incorrect histograms, lists and locks.
extern "C" __global__ void histogram_not_atomic(const unsigned char* in, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[in[i] & 15]++;  // here
}
// run: --kernel histogram_not_atomic --grid 2 --block 64 --arg buf:u8:128:random --arg buf:i32:16:zero --arg i32:128

extern "C" __global__ void shared_histogram_not_atomic(const unsigned char* in, int* bins) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  counts[in[threadIdx.x] & 15] += 1;  // here
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
}
// run: --kernel shared_histogram_not_atomic --grid 1 --block 128 --arg buf:u8:128:random --arg buf:i32:16

extern "C" __global__ void counts_not_cleared(const unsigned char* in, int* bins) {
  __shared__ int counts[16];
  atomicAdd(&counts[in[threadIdx.x] & 15], 1);  // here
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
}
// run: --kernel counts_not_cleared --grid 1 --block 64 --arg buf:u8:64:random --arg buf:i32:16

extern "C" __global__ void cleared_without_barrier(const unsigned char* in, int* bins) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;  // other
  atomicAdd(&counts[in[threadIdx.x] & 15], 1);    // here
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
}
// run: --kernel cleared_without_barrier --grid 1 --block 128 --arg buf:u8:128:random --arg buf:i32:16

// The place in the list is reserved with a plain increment.
extern "C" __global__ void list_not_atomic(const int* in, int* list, int* length) {
  const int i = threadIdx.x;
  if (in[i] % 2 == 0) {
    const int at = *length;  // here
    list[at] = in[i];
    *length = at + 1;  // other
  }
}
// run: --kernel list_not_atomic --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64 --arg buf:i32:1:zero

// A lock without fences: the sum may move out of the critical section.
extern "C" __global__ void lock_without_fence(const int* in, int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += in[blockIdx.x];  // here
  atomicExch(lock, 0);
}
// run: --kernel lock_without_fence --grid 8 --block 32 --arg buf:i32:8:iota --arg buf:i32:1:zero --arg buf:i32:1:zero

// A flag that is neither volatile nor atomic.
extern "C" __global__ void plain_flag(int* box, int* flag, int* out) {
  if (blockIdx.x == 0) {
    box[threadIdx.x] = threadIdx.x;
    __threadfence();
    if (threadIdx.x == 0) *flag = 1;  // other
  } else {
    if (*flag == 1) out[threadIdx.x] = box[threadIdx.x];  // here
  }
}
// run: --kernel plain_flag --grid 2 --block 32 --arg buf:i32:32:zero --arg buf:i32:1:zero --arg buf:i32:32

extern "C" __global__ void visited_not_atomic(const int* frontier, int* visited, int* next, int* length) {
  const int node = frontier[threadIdx.x] / 2;
  if (!visited[node]) {               // other
    visited[node] = threadIdx.x + 1;  // here
    next[atomicAdd(length, 1)] = node;
  }
}
// run: --kernel visited_not_atomic --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:32:zero --arg buf:i32:64 --arg buf:i32:1:zero

// Several threads with values near the maximum write their index.
extern "C" __global__ void last_writer_wins(const int* in, int* where) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  atomicMax(&best, in[threadIdx.x] & 63);
  __syncthreads();
  if ((in[threadIdx.x] & 63) >= best - 8) *where = threadIdx.x;  // here
}
// run: --kernel last_writer_wins --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:1

// An atomic update, read without a barrier.
extern "C" __global__ void atomic_then_plain(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] % 3 == 0) atomicAdd(&count, 1);  // other
  out[threadIdx.x] = count;                            // here
}
// run: --kernel atomic_then_plain --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64
