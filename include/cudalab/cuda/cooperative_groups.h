// Groups of threads that synchronize and exchange values, as the CUDA C++ Programming Guide documents them: blocks,
// tiles, coalesced lanes, clusters and the grid. reduce and scan: cooperative_groups/reduce.h and scan.h.
#pragma once

#include "detail/standard_names.h"

namespace cooperative_groups {
namespace detail {

CUDALAB_DEVICE unsigned lane() {
  unsigned number;
  asm("mov.u32 %0, %%laneid;" : "=r"(number));
  return number;
}
CUDALAB_DEVICE unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
CUDALAB_DEVICE unsigned thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CUDALAB_DEVICE unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
CUDALAB_DEVICE unsigned block_in_grid() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
CUDALAB_DEVICE unsigned blocks_of_grid() { return gridDim.x * gridDim.y * gridDim.z; }

// Values of any size, exchanged word by word.
template <class T, class Exchange>
CUDALAB_TEMPLATE T exchanged(const T& value, Exchange exchange) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned parts[words] = {};
  __builtin_memcpy(parts, &value, sizeof value);
  for (unsigned i = 0; i < words; ++i) parts[i] = exchange(parts[i]);
  T result;
  __builtin_memcpy(&result, parts, sizeof result);
  return result;
}

// A group of lanes of one warp: those of `mask`. Lanes are numbered by their rank in the mask.
class Lanes {
 public:
  CUDALAB_MEMBER explicit Lanes(unsigned mask) : mask_(mask) {}
  CUDALAB_MEMBER void sync() const { __syncwarp(mask_); }
  CUDALAB_MEMBER unsigned size() const { return __popc(mask_); }
  CUDALAB_MEMBER unsigned num_threads() const { return size(); }
  CUDALAB_MEMBER unsigned thread_rank() const { return __popc(mask_ & lanes_below()); }
  CUDALAB_MEMBER unsigned cudalab_mask() const { return mask_; }
  // The lane with this rank.
  CUDALAB_MEMBER unsigned cudalab_lane(unsigned rank) const { return __fns(mask_, 0, (int)rank + 1); }
  CUDALAB_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  CUDALAB_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  CUDALAB_MEMBER unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  CUDALAB_MEMBER unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  CUDALAB_MEMBER unsigned match_all(T value, int& is_same) const {
    return packed(__match_all_sync(mask_, value, &is_same));
  }
  template <class T>
  CUDALAB_MEMBER T shfl(T value, int rank) const {
    const int from = (int)cudalab_lane(rank);
    return exchanged(value, [&](unsigned word) { return __shfl_sync(mask_, word, from); });
  }
  // Beyond the group's end a lane gets its own value.
  template <class T>
  CUDALAB_MEMBER T shfl_down(T value, unsigned distance) const {
    const unsigned rank = thread_rank() + distance;
    return shfl(value, rank < size() ? rank : thread_rank());
  }
  template <class T>
  CUDALAB_MEMBER T shfl_up(T value, int distance) const {
    const int rank = (int)thread_rank() - distance;
    return shfl(value, rank >= 0 ? rank : (int)thread_rank());
  }

 private:
  // Bit r of the result stands for the lane with rank r.
  CUDALAB_MEMBER unsigned packed(unsigned lanes) const {
    unsigned bits = 0;
    for (unsigned rank = 0, left = mask_; left; ++rank, left &= left - 1)
      bits |= (lanes >> (__ffs((int)left) - 1) & 1u) << rank;
    return bits;
  }
  unsigned mask_;
};

}  // namespace detail

// ---- a group of any kind -----------------------------------------------------------------------------

class thread_group {
 public:
  enum Kind { kBlock, kLanes };
  CUDALAB_MEMBER thread_group(Kind kind, unsigned mask) : kind_(kind), mask_(mask) {}
  CUDALAB_MEMBER void sync() const { kind_ == kBlock ? __syncthreads() : __syncwarp(mask_); }
  CUDALAB_MEMBER unsigned long long size() const {
    return kind_ == kBlock ? detail::threads_of_block() : __popc(mask_);
  }
  CUDALAB_MEMBER unsigned long long num_threads() const { return size(); }
  CUDALAB_MEMBER unsigned long long thread_rank() const {
    return kind_ == kBlock ? detail::thread_in_block() : __popc(mask_ & detail::lanes_below());
  }
  CUDALAB_MEMBER bool is_valid() const { return true; }
  CUDALAB_MEMBER unsigned cudalab_mask() const { return mask_; }

 private:
  Kind kind_;
  unsigned mask_;
};

// ---- the block ---------------------------------------------------------------------------------------

class thread_block : public thread_group {
 public:
  CUDALAB_MEMBER thread_block() : thread_group(kBlock, 0xffffffffu) {}
  CUDALAB_STATIC_MEMBER void sync() { __syncthreads(); }
  CUDALAB_STATIC_MEMBER unsigned size() { return detail::threads_of_block(); }
  CUDALAB_STATIC_MEMBER unsigned num_threads() { return detail::threads_of_block(); }
  CUDALAB_STATIC_MEMBER unsigned thread_rank() { return detail::thread_in_block(); }
  CUDALAB_STATIC_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  CUDALAB_STATIC_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  CUDALAB_STATIC_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  CUDALAB_STATIC_MEMBER dim3 dim_threads() { return group_dim(); }
  // A barrier in two parts, of which the first one waits already.
  struct arrival_token {};
  CUDALAB_STATIC_MEMBER arrival_token barrier_arrive() {
    __syncthreads();
    return {};
  }
  CUDALAB_STATIC_MEMBER void barrier_wait(arrival_token&&) {}
};
CUDALAB_DEVICE thread_block this_thread_block() { return thread_block(); }

// ---- lanes of a warp ---------------------------------------------------------------------------------

class coalesced_group : public detail::Lanes {
 public:
  CUDALAB_MEMBER explicit coalesced_group(unsigned mask) : Lanes(mask) {}
  CUDALAB_MEMBER operator thread_group() const { return thread_group(thread_group::kLanes, cudalab_mask()); }
  CUDALAB_MEMBER unsigned meta_group_size() const { return 1; }
  CUDALAB_MEMBER unsigned meta_group_rank() const { return 0; }
};
CUDALAB_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Size adjacent lanes; a size of at most 32, a power of two.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  CUDALAB_MEMBER thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  CUDALAB_MEMBER operator thread_group() const { return thread_group(thread_group::kLanes, cudalab_mask()); }
  CUDALAB_MEMBER operator coalesced_group() const { return coalesced_group(cudalab_mask()); }
  // From a tile with a named parent to one without.
  CUDALAB_MEMBER operator thread_block_tile<Size, void>() const {
    return thread_block_tile<Size, void>(meta_rank_, meta_size_);
  }
  CUDALAB_MEMBER void sync() const { __syncwarp(cudalab_mask()); }
  CUDALAB_MEMBER static constexpr unsigned size() { return Size; }
  CUDALAB_MEMBER static constexpr unsigned num_threads() { return Size; }
  CUDALAB_STATIC_MEMBER unsigned thread_rank() { return detail::lane() % Size; }
  CUDALAB_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
  CUDALAB_MEMBER unsigned meta_group_size() const { return meta_size_; }
  CUDALAB_STATIC_MEMBER unsigned cudalab_mask() {
    return Size == 32 ? 0xffffffffu : ((1u << Size % 32) - 1) << detail::lane() / Size * Size;
  }
  template <class T>
  CUDALAB_MEMBER T shfl(T value, int rank) const {
    return detail::exchanged(value, [&](unsigned word) { return __shfl_sync(cudalab_mask(), word, rank, Size); });
  }
  template <class T>
  CUDALAB_MEMBER T shfl_down(T value, unsigned distance) const {
    return detail::exchanged(
        value, [&](unsigned word) { return __shfl_down_sync(cudalab_mask(), word, distance, Size); });
  }
  template <class T>
  CUDALAB_MEMBER T shfl_up(T value, unsigned distance) const {
    return detail::exchanged(value,
                             [&](unsigned word) { return __shfl_up_sync(cudalab_mask(), word, distance, Size); });
  }
  template <class T>
  CUDALAB_MEMBER T shfl_xor(T value, int mask) const {
    return detail::exchanged(value,
                             [&](unsigned word) { return __shfl_xor_sync(cudalab_mask(), word, mask, Size); });
  }
  CUDALAB_MEMBER int any(int predicate) const { return __any_sync(cudalab_mask(), predicate); }
  CUDALAB_MEMBER int all(int predicate) const { return __all_sync(cudalab_mask(), predicate); }
  CUDALAB_MEMBER unsigned ballot(int predicate) const { return own(__ballot_sync(cudalab_mask(), predicate)); }
  template <class T>
  CUDALAB_MEMBER unsigned match_any(T value) const {
    return own(__match_any_sync(cudalab_mask(), value));
  }
  template <class T>
  CUDALAB_MEMBER unsigned match_all(T value, int& is_same) const {
    return own(__match_all_sync(cudalab_mask(), value, &is_same));
  }

 private:
  CUDALAB_MEMBER unsigned own(unsigned lanes) const {
    return (lanes & cudalab_mask()) >> detail::lane() / Size * Size;
  }
  unsigned meta_rank_, meta_size_;
};

template <unsigned Size>
CUDALAB_TEMPLATE thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {detail::thread_in_block() / Size, (detail::threads_of_block() + Size - 1) / Size};
}
template <unsigned Size, unsigned ParentSize, class Grandparent>
CUDALAB_TEMPLATE thread_block_tile<Size, thread_block_tile<ParentSize, Grandparent>> tiled_partition(
    const thread_block_tile<ParentSize, Grandparent>& parent) {
  static_assert(Size <= ParentSize, "a tile of a tile is no larger");
  return {parent.thread_rank() / Size, ParentSize / Size};
}
CUDALAB_DEVICE coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned first = parent.thread_rank() / size * size;
  unsigned mask = 0;
  for (unsigned rank = first; rank < first + size && rank < parent.size(); ++rank)
    mask |= 1u << parent.cudalab_lane(rank);
  return coalesced_group(mask);
}
CUDALAB_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned size) {
  const unsigned lane = detail::lane(), mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << lane / size * size;
  return thread_group(thread_group::kLanes, mask & parent.cudalab_mask());
}

template <class Group, class Label>
CUDALAB_TEMPLATE coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.cudalab_mask(), (int)label));
}
template <class Group>
CUDALAB_TEMPLATE coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.cudalab_mask(), predicate);
  return coalesced_group(predicate ? yes : group.cudalab_mask() & ~yes);
}

// ---- the grid ----------------------------------------------------------------------------------------

// For a cooperative launch the driver passes the address of a workspace in two registers. For others it is 0, and a
// barrier of the grid is a trap. The second word of the workspace counts the blocks that arrived: the first block adds
// what brings the sign bit to change when all others have added 1.
class grid_group {
 public:
  CUDALAB_MEMBER void sync() const {
    if (!is_valid()) __trap();
    __syncthreads();
    if (detail::thread_in_block() == 0) {
      unsigned* const arrived = workspace() + 1;
      const unsigned sign = 0x80000000u,
                     own = detail::block_in_grid() == 0 ? sign - (detail::blocks_of_grid() - 1) : 1u;
      __threadfence();
      const unsigned before = atomicAdd(arrived, own);
      while (((before ^ *(volatile unsigned*)arrived) & sign) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  CUDALAB_MEMBER bool is_valid() const { return workspace() != nullptr; }
  CUDALAB_MEMBER unsigned long long size() const {
    return (unsigned long long)detail::blocks_of_grid() * detail::threads_of_block();
  }
  CUDALAB_MEMBER unsigned long long num_threads() const { return size(); }
  CUDALAB_MEMBER unsigned long long thread_rank() const {
    return (unsigned long long)detail::block_in_grid() * detail::threads_of_block() + detail::thread_in_block();
  }
  CUDALAB_MEMBER dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  CUDALAB_MEMBER dim3 dim_blocks() const { return group_dim(); }
  CUDALAB_MEMBER unsigned long long num_blocks() const { return detail::blocks_of_grid(); }
  CUDALAB_MEMBER dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  CUDALAB_MEMBER unsigned long long block_rank() const { return detail::block_in_grid(); }

 private:
  CUDALAB_MEMBER unsigned* workspace() const {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned*)((unsigned long long)high << 32 | low);
  }
};
CUDALAB_DEVICE grid_group this_grid() { return grid_group(); }

// ---- the cluster: compute capability 9.0 -------------------------------------------------------------

class cluster_group {
 public:
  CUDALAB_STATIC_MEMBER void barrier_arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  }
  CUDALAB_STATIC_MEMBER void barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
  CUDALAB_STATIC_MEMBER void sync() {
    barrier_arrive();
    barrier_wait();
  }
  CUDALAB_STATIC_MEMBER unsigned block_rank() { return read_block_rank(); }
  CUDALAB_STATIC_MEMBER unsigned num_blocks() {
    unsigned count;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return count;
  }
  CUDALAB_STATIC_MEMBER dim3 block_index() {
    dim3 place;
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(place.x));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(place.y));
    asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(place.z));
    return place;
  }
  CUDALAB_STATIC_MEMBER dim3 dim_blocks() {
    dim3 size;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size.x));
    asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(size.y));
    asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(size.z));
    return size;
  }
  CUDALAB_STATIC_MEMBER unsigned thread_rank() {
    return block_rank() * detail::threads_of_block() + detail::thread_in_block();
  }
  CUDALAB_STATIC_MEMBER unsigned num_threads() { return num_blocks() * detail::threads_of_block(); }
  CUDALAB_STATIC_MEMBER unsigned size() { return num_threads(); }
  // The address of a shared variable in the block with this rank.
  template <class T>
  CUDALAB_STATIC_MEMBER T* map_shared_rank(T* address, int rank) {
    T* mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
  }
  CUDALAB_STATIC_MEMBER unsigned query_shared_rank(const void* address) {
    unsigned rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
  }

 private:
  CUDALAB_STATIC_MEMBER unsigned read_block_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
};
CUDALAB_DEVICE cluster_group this_cluster() { return cluster_group(); }

// ---- functions of groups -----------------------------------------------------------------------------

template <class Group>
CUDALAB_TEMPLATE void sync(const Group& group) {
  group.sync();
}
template <class Group>
CUDALAB_TEMPLATE unsigned long long thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
CUDALAB_TEMPLATE unsigned long long group_size(const Group& group) {
  return group.size();
}
// One lane of the group executes the function.
template <class Group, class Function>
CUDALAB_TEMPLATE void invoke_one(const Group& group, Function function) {
  if (group.thread_rank() == 0) function();
}

}  // namespace cooperative_groups
