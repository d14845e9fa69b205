// libcu++: one block passes a flag and data to another by release and acquire, and the host reads a counter.
#include "check.h"

#include <cuda/atomic>

__global__ void hand_over(int* data, int* flag, unsigned long long* sum) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> total(*sum);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) ready.store(1, cuda::std::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (ready.load(cuda::std::memory_order_acquire) == 0) __nanosleep(50);
    __syncthreads();
    total.fetch_add(data[threadIdx.x], cuda::std::memory_order_relaxed);
  }
}

int main() {
  int *data, *flag;
  unsigned long long* sum;
  CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  CHECK(cudaMalloc(&flag, sizeof(int)));
  CHECK(cudaMallocManaged(&sum, sizeof *sum));
  CHECK(cudaMemset(flag, 0, sizeof(int)));
  *sum = 0;
  hand_over<<<3, 64>>>(data, flag, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("%llu\n", *sum);
  CHECK(cudaFree(data));
  CHECK(cudaFree(flag));
  CHECK(cudaFree(sum));
}
