// Fences and atomic operations of block scope, used between blocks.
extern "C" __global__ void fence_of_a_block(const int* in, int* box, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    box[threadIdx.x] = in[threadIdx.x] * 3;  // other
    __threadfence_block();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = box[63 - threadIdx.x];  // here
  }
}
// run: --kernel fence_of_a_block --grid 2 --block 64 --arg buf:i32:64:iota --arg buf:i32:64 --arg buf:i32:1:zero --arg buf:i32:64

extern "C" __global__ void sum_of_a_block(const int* in, int* sum) {
  atomicAdd_block(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);  // here
}
// run: --kernel sum_of_a_block --grid 4 --block 64 --arg buf:i32:256:iota --arg buf:i32:1:zero
