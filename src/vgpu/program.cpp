// A decoded module: the code of its functions, the operands of rare instructions, and what a launch needs to
// run it.
#include "vgpu/program.h"

#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

using Position = const WarpPosition&;
using Lane = std::uint32_t;

std::uint32_t thread_of(Position p, Lane lane) { return p.warp * kWarpSize + lane; }
Dim3 thread_position(Position p, Lane lane) { return position_in(p.block, thread_of(p, lane)); }
std::uint32_t bits_below(Lane lane) { return (1u << lane) - 1; }
std::uint32_t warps(Position p) { return static_cast<std::uint32_t>(warps_of(p.block)); }
std::uint64_t linear_block(Position p) { return linear_index(p.grid, p.block_index); }

std::uint32_t cluster_rank(Position p) {
  const Dim3 c = p.cluster, at = p.block_index;
  return static_cast<std::uint32_t>(linear_index(c, {at.x % c.x, at.y % c.y, at.z % c.z}));
}

constexpr auto kOnce = Refresh::kOncePerLaunch, kEach = Refresh::kEveryBlock;

constexpr SpecialRegister kSpecialRegisters[] = {
    {"%tid.x", kOnce, [](Position p, Lane l) { return thread_position(p, l).x; }},
    {"%tid.y", kOnce, [](Position p, Lane l) { return thread_position(p, l).y; }},
    {"%tid.z", kOnce, [](Position p, Lane l) { return thread_position(p, l).z; }},
    {"%ntid.x", kOnce, [](Position p, Lane) { return p.block.x; }},
    {"%ntid.y", kOnce, [](Position p, Lane) { return p.block.y; }},
    {"%ntid.z", kOnce, [](Position p, Lane) { return p.block.z; }},
    {"%ctaid.x", kEach, [](Position p, Lane) { return p.block_index.x; }},
    {"%ctaid.y", kEach, [](Position p, Lane) { return p.block_index.y; }},
    {"%ctaid.z", kEach, [](Position p, Lane) { return p.block_index.z; }},
    {"%nctaid.x", kOnce, [](Position p, Lane) { return p.grid.x; }},
    {"%nctaid.y", kOnce, [](Position p, Lane) { return p.grid.y; }},
    {"%nctaid.z", kOnce, [](Position p, Lane) { return p.grid.z; }},
    {"%laneid", kOnce, [](Position, Lane l) { return l; }},
    {"%warpid", kOnce, [](Position p, Lane) { return p.warp; }},
    {"%nwarpid", kOnce, [](Position p, Lane) { return warps(p); }},
    {"%smid", kEach,
     [](Position p, Lane) { return static_cast<std::uint32_t>(linear_block(p) % p.multiprocessors); }},
    {"%nsmid", kOnce, [](Position p, Lane) { return p.multiprocessors; }},
    {"%gridid", kOnce, [](Position, Lane) { return 1u; }},
    {"%lanemask_eq", kOnce, [](Position, Lane l) { return 1u << l; }},
    {"%lanemask_lt", kOnce, [](Position, Lane l) { return bits_below(l); }},
    {"%lanemask_le", kOnce, [](Position, Lane l) { return bits_below(l) | 1u << l; }},
    {"%lanemask_gt", kOnce, [](Position, Lane l) { return ~(bits_below(l) | 1u << l); }},
    {"%lanemask_ge", kOnce, [](Position, Lane l) { return ~bits_below(l); }},
    {"%dynamic_smem_size", kOnce, [](Position p, Lane) { return p.dynamic_shared_bytes; }},
    {"%total_smem_size", kOnce, [](Position p, Lane) { return p.total_shared_bytes; }},
    {"%aggr_smem_size", kOnce, [](Position p, Lane) { return p.total_shared_bytes; }},
    {kReservedShared, kOnce, [](Position p, Lane) { return p.reserved_shared_base; }},
    {"%is_explicit_cluster", kOnce, [](Position p, Lane) { return p.is_explicit_cluster ? 1u : 0u; }},
    {"%cluster_ctaid.x", kEach, [](Position p, Lane) { return p.block_index.x % p.cluster.x; }},
    {"%cluster_ctaid.y", kEach, [](Position p, Lane) { return p.block_index.y % p.cluster.y; }},
    {"%cluster_ctaid.z", kEach, [](Position p, Lane) { return p.block_index.z % p.cluster.z; }},
    {"%cluster_nctaid.x", kOnce, [](Position p, Lane) { return p.cluster.x; }},
    {"%cluster_nctaid.y", kOnce, [](Position p, Lane) { return p.cluster.y; }},
    {"%cluster_nctaid.z", kOnce, [](Position p, Lane) { return p.cluster.z; }},
    {"%clusterid.x", kEach, [](Position p, Lane) { return p.block_index.x / p.cluster.x; }},
    {"%clusterid.y", kEach, [](Position p, Lane) { return p.block_index.y / p.cluster.y; }},
    {"%clusterid.z", kEach, [](Position p, Lane) { return p.block_index.z / p.cluster.z; }},
    {"%nclusterid.x", kOnce, [](Position p, Lane) { return p.grid.x / p.cluster.x; }},
    {"%nclusterid.y", kOnce, [](Position p, Lane) { return p.grid.y / p.cluster.y; }},
    {"%nclusterid.z", kOnce, [](Position p, Lane) { return p.grid.z / p.cluster.z; }},
    {"%cluster_ctarank", kEach, [](Position p, Lane) { return cluster_rank(p); }},
    {"%cluster_nctarank", kOnce,
     [](Position p, Lane) { return static_cast<std::uint32_t>(p.cluster.volume()); }},
    {kGridWorkspaceHigh, kOnce,
     [](Position p, Lane) { return static_cast<std::uint32_t>(p.grid_workspace >> 32); }},
    {kGridWorkspaceLow, kOnce, [](Position p, Lane) { return static_cast<std::uint32_t>(p.grid_workspace); }},
    {kDynamicSharedBase, kOnce, [](Position p, Lane) { return p.dynamic_shared_base; }},
};

}  // namespace

const SpecialRegister* find_special_register(std::string_view name) {
  for (const SpecialRegister& special : kSpecialRegisters)
    if (special.name == name) return &special;
  return nullptr;
}

}  // namespace cudalab::vgpu
