// The lanes of a warp vote, find lanes with equal values, and count.
constexpr unsigned kAll = 0xffffffffu;

// Four numbers per warp: which lanes are positive, whether all are, whether any is, how many are.
extern "C" __global__ void votes(const int* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool positive = in[i] > 0;
  const unsigned ballot = __ballot_sync(kAll, positive);
  const unsigned all = __all_sync(kAll, positive), any = __any_sync(kAll, positive);
  if (threadIdx.x % 32 != 0) return;
  unsigned* mine = out + i / 32 * 4;
  mine[0] = ballot;
  mine[1] = all;
  mine[2] = any;
  mine[3] = __popc(ballot);
}

// peers[i] = the lanes with the same value; same[i] = whether all lanes of the warp have it.
extern "C" __global__ void matches(const int* in, unsigned* peers, int* same) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int all_equal = 0;
  peers[i] = __match_any_sync(kAll, in[i]);
  __match_all_sync(kAll, in[i], &all_equal);
  same[i] = all_equal;
}

// Keeps the odd numbers in order: each lane counts the kept numbers below it. One warp.
extern "C" __global__ void compact_odd(const int* in, int* out, int* kept) {
  const int value = in[threadIdx.x];
  const unsigned keepers = __ballot_sync(kAll, value & 1);
  const unsigned below = (1u << threadIdx.x) - 1;
  if (value & 1) out[__popc(keepers & below)] = value;
  if (threadIdx.x == 0) *kept = __popc(keepers);
}

// The lanes that take a branch see each other in the active mask.
extern "C" __global__ void active_lanes(unsigned* out) {
  if (threadIdx.x % 3 == 0) out[threadIdx.x] = __activemask();
}

// One instruction per reduction, from compute capability 8.0 on.
extern "C" __global__ void warp_redux(const unsigned* in, unsigned* out) {
#if __CUDA_ARCH__ >= 800
  const unsigned value = in[threadIdx.x];
  out[threadIdx.x * 3] = __reduce_add_sync(kAll, value);
  out[threadIdx.x * 3 + 1] = __reduce_max_sync(kAll, value);
  out[threadIdx.x * 3 + 2] = __reduce_xor_sync(kAll, value);
#endif
}

// run: --kernel votes --grid 2 --block 64 --arg buf:i32:128:random --arg buf:u32:16
// run: --kernel matches --grid 1 --block 64 --arg buf:i32:64:random --arg buf:u32:64 --arg buf:i32:64
// run: --kernel compact_odd --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32 --arg buf:i32:1
// run: --kernel active_lanes --grid 1 --block 32 --arg buf:u32:32
// run: --kernel warp_redux --grid 1 --block 32 --arg buf:u32:32:random --arg buf:u32:96
