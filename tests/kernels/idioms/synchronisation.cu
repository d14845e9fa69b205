// Blocks, warps and threads that wait for each other: locks, flags, tickets, hand-written barriers.
#include <cooperative_groups.h>

#include <cuda/atomic>
namespace cg = cooperative_groups;

// A lock around a plain sum: fences keep the sum inside the critical section.
__device__ int lock_word = 0;
extern "C" __global__ void lock_per_block(const int* in, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  __threadfence();
  *sum += in[blockIdx.x];
  __threadfence();
  atomicExch(&lock_word, 0);
}
// run: --kernel lock_per_block --grid 20 --block 32 --arg buf:i32:20:iota --arg buf:i32:1:zero

// Every thread takes the lock. The owner does its work inside the loop.
extern "C" __global__ void lock_per_thread(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
// run: --kernel lock_per_thread --grid 2 --block 64 --arg buf:i32:1:zero --arg buf:i32:1:zero

extern "C" __global__ void ticket_lock(unsigned* next, volatile unsigned* serving, int* log, int* length) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(next, 1u);
  while (*serving != mine) {
  }
  __threadfence();
  log[*length] = blockIdx.x;
  *length = *length + 1;
  __threadfence();
  *serving = mine + 1;
}
// run: --kernel ticket_lock --grid 9 --block 32 --arg buf:u32:1:zero --arg buf:u32:1:zero --arg buf:i32:9 --arg buf:i32:1:zero

// Block 0 produces, block 1 consumes.
extern "C" __global__ void flag_between_blocks(const int* in, int* box, volatile int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    box[t] = in[t] * 2;
    __threadfence();
    __syncthreads();
    if (t == 0) *flag = 1;
  } else {
    if (t == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    __threadfence();
    out[t] = box[63 - t];
  }
}
// run: --kernel flag_between_blocks --grid 2 --block 64 --arg buf:i32:64:iota --arg buf:i32:64 --arg buf:i32:1:zero --arg buf:i32:64

extern "C" __global__ void flag_of_libcu(const int* in, int* box, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *box = in[0] + 1;
      ready.store(1, cuda::memory_order_release);
    }
  } else if (threadIdx.x == 0) {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[blockIdx.x] = *box;
  }
}
// run: --kernel flag_of_libcu --grid 4 --block 32 --arg buf:i32:1:iota --arg buf:i32:1 --arg buf:i32:1:zero --arg buf:i32:4

extern "C" __global__ void counter_of_libcu(const int* in, int* parts, unsigned* count, int* total) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x];
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*count);
  if (arrived.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
  *total = sum;
}
// run: --kernel counter_of_libcu --grid 7 --block 32 --arg buf:i32:7:iota --arg buf:i32:7 --arg buf:u32:1:zero --arg buf:i32:1

// A hand-written barrier of the grid: counts the blocks and waits until all have arrived.
extern "C" __global__ void barrier_by_hand(int* a, int* b, volatile unsigned* arrived) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(const_cast<unsigned*>(arrived), 1u);
    while (*arrived < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  b[i] = a[n - 1 - i];
}
// run: --kernel barrier_by_hand --grid 6 --block 64 --arg buf:i32:384 --arg buf:i32:384 --arg buf:u32:1:zero

// Double buffering, with a barrier of the grid between the steps.
extern "C" __global__ void relaxation(float* a, float* b, int n, int steps) {
  const cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
    grid.sync();
    float* other = a;
    a = b;
    b = other;
  }
}
// run: --kernel relaxation --grid 4 --block 64 --arg buf:f32:1000:random --arg buf:f32:1000 --arg i32:1000 --arg i32:5

// Half of the block fills a buffer while the other half reads the previous one.
extern "C" __global__ void named_barriers(const int* in, int* out, int rounds) {
  __shared__ int buffer[2][32];
  const int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      const int side = round % 2;
      if (round >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + side) : "memory");
      buffer[side][t] = in[round * 32 + t];
      __threadfence_block();
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + side) : "memory");
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      const int side = round % 2;
      asm volatile("bar.sync %0, 64;" ::"r"(1 + side) : "memory");
      out[round * 32 + t] = buffer[side][31 - t];
      if (round + 2 < rounds) asm volatile("bar.arrive %0, 64;" ::"r"(3 + side) : "memory");
    }
  }
}
// run: --kernel named_barriers --grid 1 --block 64 --arg buf:i32:160:iota --arg buf:i32:160 --arg i32:5

// Each block waits for the previous block, and adds.
extern "C" __global__ void chained(const int* in, int* sums, volatile int* done) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (done[blockIdx.x - 1] == 0) {
    }
    __threadfence();
    before = sums[blockIdx.x - 1];
  }
  sums[blockIdx.x] = before + in[blockIdx.x];
  __threadfence();
  done[blockIdx.x] = 1;
}
// run: --kernel chained --grid 12 --block 32 --arg buf:i32:12:iota --arg buf:i32:12 --arg buf:i32:12:zero

// A work queue: warps take the next element until none is left.
extern "C" __global__ void work_queue(const int* in, int* out, int* next, int n) {
  while (true) {
    int piece = 0;
    if (threadIdx.x % 32 == 0) piece = atomicAdd(next, 32);
    piece = __shfl_sync(0xffffffffu, piece, 0);
    if (piece >= n) break;
    const int i = piece + threadIdx.x % 32;
    if (i < n) out[i] = in[i] + 1;
  }
}
// run: --kernel work_queue --grid 3 --block 64 --arg buf:i32:500:iota --arg buf:i32:500 --arg buf:i32:1:zero --arg i32:500

// Each pair of warps has its own named barrier between writing and reading.
extern "C" __global__ void two_pairs_of_warps(const int* in, int* out) {
  __shared__ int words[128];
  const int pair = threadIdx.x / 64, t = threadIdx.x % 64;
  words[threadIdx.x] = in[threadIdx.x];
  asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
  out[threadIdx.x] = words[pair * 64 + 63 - t];
}
// run: --kernel two_pairs_of_warps --grid 1 --block 128 --arg buf:i32:128:iota --arg buf:i32:128

// Data that only the threads of one block share needs no wider scope.
extern "C" __global__ void sums_of_blocks(const int* in, int* sums) {
  atomicAdd_block(&sums[blockIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
// run: --kernel sums_of_blocks --grid 4 --block 64 --arg buf:i32:256:iota --arg buf:i32:4:zero
