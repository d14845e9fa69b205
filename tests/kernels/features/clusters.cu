// Reductions of floats in the order of steps that NVIDIA has, and a cluster whose size the kernel states.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel red --grid 1 --block 32 --arg buf:f32:64:random --arg buf:f32:32:zero
// run: --kernel clus --grid 4 --block 32 --arg buf:i32:16:zero
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void red(const float* in, float* out) {
  auto b = cg::this_thread_block();
  auto w = cg::tiled_partition<32>(b);
  float s = cg::reduce(w, in[b.thread_rank()], cg::plus<float>());
  float m = cg::reduce(w, in[b.thread_rank()], cg::greater<float>());
  double d = cg::reduce(w, (double)in[b.thread_rank()], cg::plus<double>());
  out[b.thread_rank()] = s * 2 + m + (float)d;
  auto l = cg::reduce(w, in[b.thread_rank()], [](float a, float b) { return a * 0.5f + b; });
  out[b.thread_rank()] += l;
  int v = w.num_threads() + w.thread_rank();
  out[b.thread_rank()] += v;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) clus(int* out) {
  __shared__ int s[4];
  auto c = cg::this_cluster();
  if (threadIdx.x < 4) s[threadIdx.x] = c.block_rank() * 10 + threadIdx.x;
  c.sync();
  int* o = c.map_shared_rank(s, c.block_rank() ^ 1);
  if (threadIdx.x < 4)
    out[blockIdx.x * 4 + threadIdx.x] = o[threadIdx.x] + c.num_blocks() * 100 + c.thread_rank() +
                                        c.num_threads() + c.dim_blocks().x + c.block_index().x +
                                        c.query_shared_rank(o);
  c.sync();
}
