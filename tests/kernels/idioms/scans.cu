// Prefix sums: of a warp, of a block, of a grid in one pass.
constexpr unsigned kAll = 0xffffffffu;

// Kogge and Stone in place: one barrier before writing, one after it.
extern "C" __global__ void kogge_stone(const int* in, int* out, int n) {
  __shared__ int sums[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  sums[t] = i < n ? in[i] : 0;
  for (int distance = 1; distance < 128; distance *= 2) {
    __syncthreads();
    int below = 0;
    if (t >= distance) below = sums[t - distance];
    __syncthreads();
    sums[t] += below;
  }
  if (i < n) out[i] = sums[t];
}
// run: --kernel kogge_stone --grid 3 --block 128 --arg buf:i32:300:iota --arg buf:i32:300 --arg i32:300

// The same with two arrays and half of the barriers.
extern "C" __global__ void double_buffered_scan(const int* in, int* out) {
  __shared__ int sums[2][64];
  const int t = threadIdx.x;
  int from = 0;
  sums[from][t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int distance = 1; distance < 64; distance *= 2) {
    sums[1 - from][t] = sums[from][t] + (t >= distance ? sums[from][t - distance] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sums[from][t];
}
// run: --kernel double_buffered_scan --grid 2 --block 64 --arg buf:i32:128:iota --arg buf:i32:128

extern "C" __global__ void brent_kung(const float* in, float* out) {
  __shared__ float sums[128];
  const int t = threadIdx.x;
  sums[t] = in[t];
  sums[t + 64] = in[t + 64];
  for (int stride = 1; stride <= 64; stride *= 2) {
    __syncthreads();
    const int i = (t + 1) * 2 * stride - 1;
    if (i < 128) sums[i] += sums[i - stride];
  }
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    const int i = (t + 1) * 2 * stride - 1;
    if (i + stride < 128) sums[i + stride] += sums[i];
  }
  __syncthreads();
  out[t] = sums[t];
  out[t + 64] = sums[t + 64];
}
// run: --kernel brent_kung --grid 1 --block 64 --arg buf:f32:128:random --arg buf:f32:128

__device__ int warp_scan(int value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int below = __shfl_up_sync(kAll, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

extern "C" __global__ void scan_of_warps(const int* in, int* out) {
  __shared__ int of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = warp_scan(in[threadIdx.x]);
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const int whole = warp_scan(lane < blockDim.x / 32 ? of_warp[lane] : 0);
    __syncwarp();
    of_warp[lane] = whole;
  }
  __syncthreads();
  if (warp > 0) sum += of_warp[warp - 1];
  out[threadIdx.x] = sum;
}
// run: --kernel scan_of_warps --grid 1 --block 256 --arg buf:i32:256:iota --arg buf:i32:256

// Exclusive, up and down the tree (Blelloch).
extern "C" __global__ void exclusive_scan(const int* in, int* out) {
  __shared__ int tree[256];
  const int t = threadIdx.x;
  tree[2 * t] = in[2 * t];
  tree[2 * t + 1] = in[2 * t + 1];
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
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  __syncthreads();
  out[2 * t] = tree[2 * t];
  out[2 * t + 1] = tree[2 * t + 1];
}
// run: --kernel exclusive_scan --grid 1 --block 128 --arg buf:i32:256:iota --arg buf:i32:256

// One pass over the grid: a block looks back until it finds a prefix. Flags: 1 own sum, 2 prefix.
extern "C" __global__ void look_back(const int* in, int* out, volatile int* flag, volatile int* own,
                                     volatile int* prefix, unsigned* ticket) {
  __shared__ int tile, before, sums[64];
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  sums[t] = in[tile * 64 + t];
  for (int distance = 1; distance < 64; distance *= 2) {
    __syncthreads();
    const int below = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += below;
  }
  if (t == 63) {
    own[tile] = sums[63];
    __threadfence();
    flag[tile] = 1;
    int sum = 0;
    for (int b = tile - 1; b >= 0; --b) {
      int state;
      do state = flag[b];
      while (state == 0);
      __threadfence();
      sum += state == 2 ? prefix[b] : own[b];
      if (state == 2) break;
    }
    prefix[tile] = sum + sums[63];
    __threadfence();
    flag[tile] = 2;
    before = sum;
  }
  __syncthreads();
  out[tile * 64 + t] = before + sums[t];
}
// run: --kernel look_back --grid 10 --block 64 --arg buf:i32:640:iota --arg buf:i32:640 --arg buf:i32:10:zero --arg buf:i32:10 --arg buf:i32:10 --arg buf:u32:1:zero

// Sum and state share one word. No fence is needed, because nothing else is read.
extern "C" __global__ void packed_look_back(const int* in, int* out, unsigned long long* states) {
  __shared__ int before;
  int sum = warp_scan(in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 31) {
    atomicExch(&states[blockIdx.x], 1ull << 32 | static_cast<unsigned>(sum));
    int prefix = 0;
    for (int b = blockIdx.x - 1; b >= 0; --b) {
      unsigned long long state;
      do state = atomicAdd(&states[b], 0ull);
      while (state >> 32 == 0);
      prefix += static_cast<int>(state);
      if (state >> 32 == 2) break;
    }
    atomicExch(&states[blockIdx.x], 2ull << 32 | static_cast<unsigned>(prefix + sum));
    before = prefix;
  }
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = before + sum;
}
// run: --kernel packed_look_back --grid 8 --block 32 --arg buf:i32:256:iota --arg buf:i32:256 --arg buf:u64:8:zero
