// Barriers, votes and variables that not every thread reaches or sets.
constexpr unsigned kAll = 0xffffffffu;

extern "C" __global__ void one_warp_at_the_barrier(const int* in, int* out) {
  __shared__ int words[64];
  words[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) {  // other
    __syncthreads();       // here
    out[threadIdx.x] = words[threadIdx.x];
  }
}
// run: --kernel one_warp_at_the_barrier --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64

extern "C" __global__ void half_a_warp_at_the_barrier(const int* in, int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 16) __syncthreads();  // here
  out[threadIdx.x] = words[threadIdx.x];
}
// run: --kernel half_a_warp_at_the_barrier --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32

// A barrier in a loop whose length differs between threads.
extern "C" __global__ void barrier_in_a_loop(const int* in, int* out, int n) {
  __shared__ int words[64];
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += 64) {  // other
    words[threadIdx.x] = in[i];
    __syncthreads();  // here
    sum += words[threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
// run: --kernel barrier_in_a_loop --grid 1 --block 64 --arg buf:i32:100:iota --arg buf:i32:64 --arg i32:96

extern "C" __global__ void two_different_barriers(const int* in, int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2) {
    __syncthreads();  // here
    out[threadIdx.x] = words[threadIdx.x] + 1;
  } else {
    __syncthreads();  // other
    out[threadIdx.x] = words[threadIdx.x] - 1;
  }
}
// run: --kernel two_different_barriers --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32

extern "C" __global__ void one_barrier_too_many(const int* in, int* out) {
  __shared__ int words[64];
  words[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x >= 32) __syncthreads();  // here
  __syncthreads();                         // other
  out[threadIdx.x] = words[63 - threadIdx.x];
}
// run: --kernel one_barrier_too_many --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64

extern "C" __global__ void barrier_never_complete(const int* in, int* out) {
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;" ::: "memory");  // here
  out[threadIdx.x] = in[threadIdx.x];
}
// run: --kernel barrier_never_complete --grid 1 --block 96 --arg buf:i32:96:iota --arg buf:i32:96

// A vote of the whole warp in a branch that only some lanes take.
extern "C" __global__ void vote_in_a_branch(const int* in, unsigned* out) {
  unsigned votes = 0;
  if (threadIdx.x < 16) votes = __ballot_sync(kAll, in[threadIdx.x] > 3);  // here
  out[threadIdx.x] = votes;
}
// run: --kernel vote_in_a_branch --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:u32:32

extern "C" __global__ void mask_of_others(const int* in, int* out) {
  int sum = in[threadIdx.x];
  if (threadIdx.x >= 16) sum += __shfl_xor_sync(0xffff, sum, 1);  // here
  out[threadIdx.x] = sum;
}
// run: --kernel mask_of_others --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32

// A local array that is read before it is written.
extern "C" __global__ void array_not_set(const int* in, int* out) {
  int words[8];
  words[in[threadIdx.x] & 7] = 1;
  out[threadIdx.x] = words[(in[threadIdx.x] + 1) & 7];  // here
}
// run: --kernel array_not_set --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32

extern "C" __global__ void sums_not_set(const int* kind, const float* value, float* out, int n) {
  float sums[4];
  for (int i = threadIdx.x; i < n; i += 32) sums[kind[i] & 3] += value[i];
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = sums[(kind[0] + k) & 3];  // here
}
// run: --kernel sums_not_set --grid 1 --block 32 --arg buf:i32:64:iota --arg buf:f32:64:random --arg buf:f32:128 --arg i32:64

// Only the even elements are written, but the next step reads all of them.
extern "C" __global__ void every_second(float* data, float* out, int n) {
  const int i = threadIdx.x;
  if (i % 2 == 0) data[i] = i;
  __syncthreads();
  if (i < n) out[i] = data[i] + 1;  // here
}
// run: --kernel every_second --grid 1 --block 64 --arg buf:f32:64 --arg buf:f32:64 --arg i32:64
