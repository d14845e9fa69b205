// libcu++: atomics, barriers, pipelines and asynchronous copies.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel at --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero --arg buf:u64:4:zero
// run: --kernel bar --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero
// run: --kernel pipe --grid 1 --block 64 --arg buf:i32:256:random --arg buf:i32:64:zero
// run: --kernel pipe2 --grid 1 --block 64 --arg buf:i32:256:random --arg buf:i32:64:zero
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/tuple>
namespace cg = cooperative_groups;
extern "C" __global__ void at(const int* in, int* out, unsigned long long* l) {
  cuda::atomic_ref<int, cuda::thread_scope_block> b(out[0]);
  cuda::atomic_ref<int, cuda::thread_scope_device> d(out[1]);
  cuda::atomic_ref<int> s(out[2]);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> ll(l[0]);
  int i = threadIdx.x, a = in[i] % 1000;
  b.fetch_add(a, cuda::memory_order_relaxed);
  d += a;
  s.fetch_max(a);
  ll.fetch_xor(1ull << i);
  ll++;
  cuda::atomic_ref<int, cuda::thread_scope_device>(out[3]).fetch_min(a, cuda::std::memory_order_acq_rel);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*(float*)&out[4]).fetch_add(1.5f);
  int e = 0;
  cuda::atomic_ref<int, cuda::thread_scope_device> c(out[5]);
  c.compare_exchange_strong(e, 9);
  c.exchange(7);
  cuda::atomic_ref<int, cuda::thread_scope_device>(out[6]).fetch_sub(a);
  cuda::atomic_ref<int, cuda::thread_scope_device>(out[7]).fetch_or(a);
  __shared__ cuda::atomic<bool, cuda::thread_scope_block> flag;
  if (i == 0) flag.store(true);
  __syncthreads();
  if (flag.load()) out[8] = 3;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  cuda::std::tuple<int, int> t(1, 2);
  cuda::std::array<int, 2> ar{3, 4};
  if (i == 0) out[9] = cuda::std::get<1>(t) + ar[1];
}
extern "C" __global__ void bar(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ __align__(16) int s[64];
  __shared__ int t[64];
  auto blk = cg::this_thread_block();
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(blk, s, in, cuda::aligned_size_t<16>(sizeof(int) * 64), b);
  auto tok = b.arrive();
  int x = threadIdx.x * 3;
  b.wait(cuda::std::move(tok));
  t[threadIdx.x] = s[63 - threadIdx.x];
  b.arrive_and_wait();
  out[threadIdx.x] = t[threadIdx.x ^ 1] + x;
}
extern "C" __global__ void pipe(const int* in, int* out) {
  __shared__ int s[2][64];
  auto p = cuda::make_pipeline();
  int sum = 0;
  p.producer_acquire();
  cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(int), p);
  p.producer_commit();
  for (int k = 1; k <= 4; ++k) {
    if (k < 4) {
      p.producer_acquire();
      cuda::memcpy_async(&s[k & 1][threadIdx.x], in + k * 64 + threadIdx.x, sizeof(int), p);
      p.producer_commit();
    }
    if (k < 4)
      cuda::pipeline_consumer_wait_prior<1>(p);
    else
      cuda::pipeline_consumer_wait_prior<0>(p);
    __syncthreads();
    sum += s[(k - 1) & 1][63 - threadIdx.x];
    __syncthreads();
    p.consumer_release();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void pipe2(const int* in, int* out) {
  __shared__ int s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto blk = cg::this_thread_block();
  auto p = cuda::make_pipeline(
      blk, &st, threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  if (threadIdx.x < 32)
    for (int k = 0; k < 4; ++k) {
      p.producer_acquire();
      cuda::memcpy_async(&s[k & 1][threadIdx.x * 2], in + k * 64 + threadIdx.x * 2, sizeof(int2), p);
      p.producer_commit();
    }
  else
    for (int k = 0; k < 4; ++k) {
      p.consumer_wait();
      sum += s[k & 1][threadIdx.x];
      p.consumer_release();
    }
  out[threadIdx.x] = sum;
}
