// Textbook kernels without a hazard. Each synchronizes in a different way, and none may be reported.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tree_reduction(const int* in, int* out, int n) {
  extern __shared__ int sums[];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int distance = blockDim.x / 2; distance > 0; distance /= 2) {
    if (t < distance) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

extern "C" __global__ void shuffle_reduction(const int* in, int* out, int n) {
  __shared__ int warp_sums[32];
  const int t = threadIdx.x;
  int sum = in[blockIdx.x * blockDim.x + t];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (t % 32 == 0) warp_sums[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = t < blockDim.x / 32 ? warp_sums[t] : 0;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (t == 0) out[blockIdx.x] = sum;
}

// The last warp of a reduction, with the barriers that are required since Volta.
extern "C" __global__ void warp_reduction(const int* in, int* out, int n) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    int sum = sums[t] + sums[t + 32];
    for (int distance = 16; distance > 0; distance /= 2) {
      sums[t] = sum;
      __syncwarp();
      if (t < distance) sum += sums[t + distance];
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void tiled_matmul(const int* in, int* out, int n) {
  __shared__ int a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  int sum = 0;
  for (int k = 0; k < n; k += 16) {
    a[y][x] = in[row * n + k + x];
    b[y][x] = in[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}

extern "C" __global__ void transpose(const int* in, int* out, int n) {
  __shared__ int tile[32][33];
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y + j) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void shared_histogram(const int* in, int* out, int n) {
  __shared__ int bins[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] & 63], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}

extern "C" __global__ void byte_histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned char tile[256];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  atomicAdd(&out[tile[255 - t] & 63], 1);
}

// Neighbouring bytes belong to different threads and blocks.
extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}

extern "C" __global__ void hillis_steele_scan(const int* in, int* out, int n) {
  __shared__ int buffer[2][128];
  const int t = threadIdx.x;
  int from = 0;
  buffer[0][t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int distance = 1; distance < 128; distance *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= distance ? buffer[from][t - distance] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = buffer[from][t];
}

extern "C" __global__ void blelloch_scan(const int* in, int* out, int n) {
  __shared__ int tree[256];
  const int t = threadIdx.x;
  tree[2 * t] = in[blockIdx.x * 256 + 2 * t];
  tree[2 * t + 1] = in[blockIdx.x * 256 + 2 * t + 1];
  int offset = 1;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) tree[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  out[blockIdx.x * 256 + 2 * t] = tree[2 * t];
  out[blockIdx.x * 256 + 2 * t + 1] = tree[2 * t + 1];
}

// With two tiles, one barrier per step is enough.
extern "C" __global__ void double_buffering(const int* in, int* out, int n) {
  __shared__ int tile[2][64];
  const int t = threadIdx.x;
  int sum = 0;
  tile[0][t] = in[t];
  for (int step = 0; step < n / 64; ++step) {
    __syncthreads();
    if (step + 1 < n / 64) tile[(step + 1) % 2][t] = in[(step + 1) * 64 + t];
    for (int k = 0; k < 64; ++k) sum += tile[step % 2][k];
  }
  out[blockIdx.x * 64 + t] = sum;
}

__device__ unsigned int ticket;

// From the CUDA samples: the block that finishes last adds the results of the other blocks.
extern "C" __global__ void thread_fence_reduction(const int* in, volatile int* out, int n) {
  __shared__ int sums[128];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int distance = 64; distance > 0; distance /= 2) {
    if (t < distance) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t == 0) {
    out[1 + blockIdx.x] = sums[0];
    __threadfence();
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int block = t; block < gridDim.x; block += 128) sum += out[1 + block];
  sums[t] = sum;
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int i = 0; i < 128; ++i) total += sums[i];
    out[0] = total;
    ticket = 0;
  }
}

// A block passes its result to the next one, which waits for it.
extern "C" __global__ void chained_sum(const int* in, int* out, volatile int* flags) {
  const int block = blockIdx.x;
  if (threadIdx.x != 0) return;
  int sum = in[block];
  if (block > 0) {
    while (flags[block - 1] == 0) {}
    __threadfence();
    sum += out[block - 1];
  }
  out[block] = sum;
  __threadfence();
  flags[block] = 1;
}

__device__ int mutex;

extern "C" __global__ void locked_sum(const int* in, int* out, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&mutex, 0, 1) != 0) {}
  __threadfence();
  *out += in[blockIdx.x];
  __threadfence();
  atomicExch(&mutex, 0);
}

// From the CUDA C++ Programming Guide, for types without atomicAdd.
__device__ int add_by_cas(int* address, int value) {
  int old = *address, assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, value + assumed);
  } while (assumed != old);
  return old;
}
extern "C" __global__ void compare_and_swap_loop(const int* in, int* out, int n) {
  add_by_cas(&out[in[blockIdx.x * blockDim.x + threadIdx.x] & 7], 1);
}

extern "C" __global__ void same_value(const int* in, int* out, int n) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (in[blockIdx.x * blockDim.x + threadIdx.x] > 10) any = 1;
  __syncthreads();
  if (any) *out = 1;
}

extern "C" __global__ void tile_groups(const int* in, int* out, int n) {
  __shared__ int tile[128];
  const auto block = cg::this_thread_block();
  const auto group = cg::tiled_partition<16>(block);
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 128 + t];
  group.sync();
  int sum = tile[t / 16 * 16 + (t + 1) % 16];
  for (int distance = 8; distance > 0; distance /= 2) sum += group.shfl_down(sum, distance);
  block.sync();
  tile[t] = sum;
  block.sync();
  out[blockIdx.x * 128 + t] = tile[127 - t];
}

// Two warps produce a tile, two warps use it: named barriers of 128 threads, two for each direction.
extern "C" __global__ void producer_and_consumer(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int step = 0; step < 4; ++step) {
      if (step > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[t] = in[step * 64 + t];
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    }
  } else {
    int sum = 0;
    for (int step = 0; step < 4; ++step) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      sum += tile[63 - t];
      if (step < 3) asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
    out[blockIdx.x * 64 + t] = sum;
  }
}

struct Particle {
  double mass;
  char kind;  // 7 bytes of padding follow
  float x, y, z;
};

// A structure in local memory is copied with its padding.
extern "C" __global__ void structures(const int* in, Particle* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Particle particles[4];
  for (int k = 0; k < 4; ++k) {
    particles[k].mass = in[(i + k) % n];
    particles[k].kind = 'a';
    particles[k].x = particles[k].y = particles[k].z = k;
  }
  out[i] = particles[in[i] & 3];
}

// In place; each thread has its own elements.
extern "C" __global__ void bitonic_step(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ 64;
  if (partner <= i) return;
  const int a = out[i], b = out[partner];
  if (a > b) {
    out[i] = b;
    out[partner] = a;
  }
}

// In place in global memory, with barriers between the threads of a block.
extern "C" __global__ void block_scan_in_global(const int* in, int* out, int n) {
  int* mine = out + blockIdx.x * blockDim.x;
  const int t = threadIdx.x;
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    const int value = t >= distance ? mine[t - distance] : 0;
    __syncthreads();
    mine[t] += value;
    __syncthreads();
  }
}
