// Cooperative groups: blocks, tiles, coalesced and labelled groups, reductions, scans and copies.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel groups --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(const int* in, int* out) {
  __shared__ int s[64];
  cg::thread_block b = cg::this_thread_block();
  auto w = cg::tiled_partition<32>(b);
  auto t = cg::tiled_partition<8>(w);
  auto g = cg::this_grid();
  int i = b.thread_rank(), a = in[i];
  int r = cg::reduce(w, a, cg::plus<int>()) + cg::reduce(t, a, cg::less<int>()) * 3 +
          cg::reduce(t, a, cg::greater<int>()) + cg::reduce(t, a, cg::bit_xor<int>());
  r ^= cg::inclusive_scan(w, a) + cg::exclusive_scan(t, a) + cg::inclusive_scan(t, a, cg::greater<int>()) +
       cg::exclusive_scan(w, a, cg::bit_or<int>());
  r += w.shfl(a, 3) + t.shfl_down(a, 2) + t.shfl_xor(a, 1) + t.shfl_up(a, 1) + t.any(a > 0) + t.all(a > 0) +
       t.ballot(a > 0) + w.match_any(a & 1) + t.meta_group_rank() * 100 + t.meta_group_size();
  if (a & 1) {
    auto c = cg::coalesced_threads();
    r += c.size() * 7 + c.thread_rank() + c.shfl(a, 0) + cg::reduce(c, a, cg::plus<int>());
  }
  auto bp = cg::binary_partition(w, a & 2);
  r += bp.size() + bp.thread_rank();
  auto lp = cg::labeled_partition(w, a & 3);
  r ^= lp.size() + lp.thread_rank();
  cg::memcpy_async(b, s, in, sizeof(int) * 64);
  cg::wait(b);
  r += s[63 - i] + (int)g.thread_rank() + (int)g.size() + (int)g.num_blocks() + b.group_dim().x +
       b.thread_index().x + b.dim_threads().y + (int)b.num_threads();
  cg::thread_group tg = cg::tiled_partition(b, 16);
  tg.sync();
  r += tg.thread_rank() * 3 + tg.size();
  b.sync();
  w.sync();
  cg::sync(b);
  auto tok = b.barrier_arrive();
  b.barrier_wait(cuda::std::move(tok));
  cg::invoke_one(b, [&] { s[0] = 5; });
  b.sync();
  r += s[0];
  out[i] = r;
}
