// Sorting, counting, compacting.
constexpr unsigned kAll = 0xffffffffu;

extern "C" __global__ void bitonic(int* data) {
  __shared__ int words[128];
  const int t = threadIdx.x;
  words[t] = data[blockIdx.x * 128 + t];
  __syncthreads();
  for (int k = 2; k <= 128; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      const int other = t ^ j;
      if (other > t && (words[t] > words[other]) == ((t & k) == 0)) {
        const int kept = words[t];
        words[t] = words[other];
        words[other] = kept;
      }
      __syncthreads();
    }
  data[blockIdx.x * 128 + t] = words[t];
}
// run: --kernel bitonic --grid 2 --block 128 --arg buf:i32:256:random

extern "C" __global__ void odd_even(int* data, int n) {
  extern __shared__ int words[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) words[i] = data[i];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    const int i = 2 * t + round % 2;
    if (i + 1 < n && words[i] > words[i + 1]) {
      const int kept = words[i];
      words[i] = words[i + 1];
      words[i + 1] = kept;
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) data[i] = words[i];
}
// run: --kernel odd_even --grid 1 --block 64 --shared 400 --arg buf:i32:100:random --arg i32:100

extern "C" __global__ void rank_sort(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i] || (in[j] == in[i] && j < i);
  out[rank] = in[i];
}
// run: --kernel rank_sort --grid 2 --block 64 --arg buf:i32:100:random --arg buf:i32:100 --arg i32:100

// One bit of a radix sort: zeros first, in stable order.
extern "C" __global__ void split_by_bit(const unsigned* in, unsigned* out, int bit) {
  __shared__ int of_warp[4];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const unsigned value = in[t], zero = !(value >> bit & 1);
  const unsigned zeros = __ballot_sync(kAll, zero);
  if (lane == 0) of_warp[warp] = __popc(zeros);
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < 4; ++w) {
    if (w < warp) before += of_warp[w];
    all += of_warp[w];
  }
  before += __popc(zeros & ((1u << lane) - 1));
  out[zero ? before : all + t - before] = value;
}
// run: --kernel split_by_bit --grid 1 --block 128 --arg buf:u32:128:random --arg buf:u32:128 --arg i32:3

// One atomic addition per warp for all lanes that keep an element.
extern "C" __global__ void keep_positive(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int value = i < n ? in[i] : 0;
  const unsigned keepers = __ballot_sync(kAll, value > 0);
  int first = 0;
  if (lane == 0 && keepers) first = atomicAdd(count, __popc(keepers));
  first = __shfl_sync(kAll, first, 0);
  if (value > 0) out[first + __popc(keepers & ((1u << lane) - 1))] = value;
}
// run: --kernel keep_positive --grid 3 --block 64 --arg buf:i32:180:random --arg buf:i32:180 --arg buf:i32:1:zero --arg i32:180

extern "C" __global__ void aggregated_by_leader(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3 != 0) return;
  const unsigned together = __activemask();
  const int leader = __ffs(together) - 1, lane = threadIdx.x % 32;
  int first = 0;
  if (lane == leader) first = atomicAdd(count, __popc(together));
  first = __shfl_sync(together, first, leader);
  out[first + __popc(together & ((1u << lane) - 1))] = in[i];
}
// run: --kernel aggregated_by_leader --grid 2 --block 64 --arg buf:i32:120:iota --arg buf:i32:120 --arg buf:i32:1:zero --arg i32:120

// Lanes with equal values find each other and count once.
extern "C" __global__ void count_by_match(const int* in, int* bins) {
  const int bin = in[blockIdx.x * blockDim.x + threadIdx.x] & 7;
  const unsigned peers = __match_any_sync(kAll, bin);
  if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&bins[bin], __popc(peers));
}
// run: --kernel count_by_match --grid 2 --block 64 --arg buf:i32:128:random --arg buf:i32:8:zero

extern "C" __global__ void histogram_in_global(const unsigned char* text, int* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[text[i] / 4], 1);
}
// run: --kernel histogram_in_global --grid 3 --block 64 --arg buf:u8:1000:random --arg buf:i32:64:zero --arg i32:1000

extern "C" __global__ void histogram_of_warps(const unsigned char* text, int* bins, int n) {
  __shared__ int counts[4][16];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) counts[i / 16][i % 16] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[threadIdx.x / 32][text[i] / 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) {
    int sum = 0;
    for (int w = 0; w < 4; ++w) sum += counts[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}
// run: --kernel histogram_of_warps --grid 3 --block 128 --arg buf:u8:2000:random --arg buf:i32:16:zero --arg i32:2000

// Each thread sorts its own eight numbers.
extern "C" __global__ void insertion_sort(const int* in, int* out) {
  int words[8], length = 0;
  for (int i = 0; i < 8; ++i) {
    const int value = in[threadIdx.x * 8 + i];
    int at = length++;
    for (; at > 0 && words[at - 1] > value; --at) words[at] = words[at - 1];
    words[at] = value;
  }
  for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = words[i];
}
// run: --kernel insertion_sort --grid 1 --block 32 --arg buf:i32:256:random --arg buf:i32:256

// A small stack: popped elements were pushed before; the others are never read, or read and discarded.
extern "C" __global__ void balanced(const int* in, int* out, int n) {
  int stack[16], top = 0;
  bool good = true;
  for (int i = 0; i < n && good; ++i) {
    const int c = in[threadIdx.x * n + i] & 3;
    if (c < 2 && top < 16)
      stack[top++] = c;
    else if (c >= 2)
      good = top > 0 && stack[--top] == c - 2;
  }
  out[threadIdx.x] = good && top == 0;
}
// run: --kernel balanced --grid 1 --block 32 --arg buf:i32:320:random --arg buf:i32:32 --arg i32:10
