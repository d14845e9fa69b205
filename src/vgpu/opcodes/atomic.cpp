#include "vgpu/opcodes/atomic.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/half.h"
#include "vgpu/block.h"
#include "vgpu/checks/observe.h"
#include "vgpu/execute/lane_access.h"
#include "vgpu/opcodes/single.h"
#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu {
namespace {

// ---- addresses ---------------------------------------------------------------------------------------
LaneAddresses generic_addresses(const Inst* inst, const Warp& warp) {
  const auto* base = lanes_at<const std::uint64_t>(warp, inst->a);
  LaneAddresses addresses;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = base[lane] + inst->imm;
    const bool in_shared = inst->e.bits == kAtomicShared || inst->e.bits == kAtomicCluster;
    addresses[lane] = in_shared ? kSharedWindow + static_cast<std::uint32_t>(address) : address;
  }
  return addresses;
}

// The memory that the active lanes update.
struct Target {
  SiteState* site = nullptr;
  std::uint64_t base = 0;  // generic address of the first lane
  // Its memory, if all lanes are in the same buffer; else nullptr, and each lane is looked up.
  std::byte* host = nullptr;
  bool in_global = false;
};

Target find_target(const Inst* inst, Warp& warp, const LaneAddresses& addresses) {
  Target target;
  target.base = addresses[std::countr_zero(warp.exec)];
  target.site = &warp.sites[inst->site];
  target.in_global = inst->e.bits == kAtomicGlobal;
  if (inst->e.bits == kAtomicGeneric) {
    const bool shared = target.base - kSharedWindow < kWindowBytes,
               local = target.base - kLocalWindow < kWindowBytes;
    target.site += shared ? 1 : local ? 2 : 0;
    target.in_global = !shared && !local;
  }
  const bool in_other_block = target.base - kSharedWindow - kRankBytes < kWindowBytes - kRankBytes;
  if (!in_other_block) {  // how a GPU counts accesses to other blocks is unknown
    const Pattern& pattern = count_access(*target.site, addresses, warp.exec);
    target.host = host_of(warp, *target.site, pattern, target.base);
    if (target.host && warp.observed)
      observe_access(inst, warp, *target.site, pattern, target.base, AccessMode::kReadWrite);
    if (target.in_global && warp.trace) warp.trace->add(warp, *target.site, pattern, target.base);
  }
  if (inst->d.bits) {
    ++warp.polls;
    warp.block->communications += target.in_global;
  }
  return target;
}

// ---- operations --------------------------------------------------------------------------------------
template <class H>
struct Pair;

// `in_global`: additions of single precision to global memory flush denormals to zero (PTX ISA, "atom").
struct Add {
  template <class T>
  static T of(T old, T b, T, bool in_global) {
    if constexpr (std::is_same_v<T, float>) {
      return one_nan(in_global ? flush(flush(old) + flush(b)) : old + b);
    } else {
      return static_cast<T>(old + b);
    }
  }
};
// clang-format off
struct Min {
  template <class T> static T of(T old, T b, T, bool) { return b < old ? b : old; }
  template <class H> static Pair<H> of(Pair<H> old, Pair<H> b, Pair<H>, bool);
};
struct Max {
  template <class T> static T of(T old, T b, T, bool) { return b > old ? b : old; }
  template <class H> static Pair<H> of(Pair<H> old, Pair<H> b, Pair<H>, bool);
};
struct And { template <class T> static T of(T old, T b, T, bool) { return old & b; } };
struct Or { template <class T> static T of(T old, T b, T, bool) { return old | b; } };
struct Xor { template <class T> static T of(T old, T b, T, bool) { return old ^ b; } };
struct Exchange { template <class T> static T of(T, T b, T, bool) { return b; } };
struct CompareSwap { template <class T> static T of(T old, T b, T c, bool) { return old == b ? c : old; } };
struct Increment { template <class T> static T of(T old, T b, T, bool) { return old >= b ? 0 : old + 1; } };
struct Decrement {
  template <class T> static T of(T old, T b, T, bool) { return old == 0 || old > b ? b : old - 1; }
};
// clang-format on

// Half-precision values: added in single precision, which rounds to the same result.
struct BFloat16 {
  std::uint16_t bits;
  explicit operator float() const { return bf16_to_f32(bits); }
  bool operator<(BFloat16 other) const { return static_cast<float>(*this) < static_cast<float>(other); }
  bool operator>(BFloat16 other) const { return other < *this; }
  BFloat16 operator+(BFloat16 other) const {
    return {f32_to_bf16(static_cast<float>(*this) + static_cast<float>(other))};
  }
};
struct Float16 {
  std::uint16_t bits;
  explicit operator float() const { return f16_to_f32(bits); }
  bool operator<(Float16 other) const { return static_cast<float>(*this) < static_cast<float>(other); }
  bool operator>(Float16 other) const { return other < *this; }
  Float16 operator+(Float16 other) const {
    return {f32_to_f16(static_cast<float>(*this) + static_cast<float>(other))};
  }
};
template <class H>
struct Pair {
  H low, high;
  Pair operator+(Pair other) const { return {low + other.low, high + other.high}; }
};
template <class H>
Pair<H> Min::of(Pair<H> old, Pair<H> b, Pair<H>, bool in_global) {
  return {of(old.low, b.low, b.low, in_global), of(old.high, b.high, b.high, in_global)};
}
template <class H>
Pair<H> Max::of(Pair<H> old, Pair<H> b, Pair<H>, bool in_global) {
  return {of(old.low, b.low, b.low, in_global), of(old.high, b.high, b.high, in_global)};
}

struct Bits128 {
  std::uint64_t low, high;
  bool operator==(const Bits128&) const = default;
};

// Blocks run on several host threads only if they update a word by nothing but one kind of integer reduction.
// An atomic exchange takes about 25 cycles on the host, so a reduction that leaves the value unchanged, as
// most maxima do, is skipped.
template <class Op, class T>
void reduce_concurrently(std::byte* host, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
    std::atomic_ref<T> word(*reinterpret_cast<T*>(host));
    for (T old = word.load(std::memory_order_relaxed);;) {
      const T updated = Op::of(old, b, T{}, true);
      if (updated == old || word.compare_exchange_weak(old, updated, std::memory_order_relaxed)) return;
    }
  }
}

// ---- lanes in ascending order ------------------------------------------------------------------------
std::byte* memory_of_lane(const Inst* inst, Warp& warp, const Target& target, int lane,
                          std::uint64_t address) {
  if (target.host) return target.host + static_cast<std::int64_t>(address - target.base);
  std::byte* host = locate_lane(inst, warp, *target.site, lane, address, AccessMode::kReadWrite);
  if (warp.observed) observe_lane(inst, warp, *target.site, lane, address, AccessMode::kReadWrite);
  return host;
}

template <class Op, class T>
const Inst* atomic(const Inst* inst, Warp& warp) {
  const LaneAddresses addresses = generic_addresses(inst, warp);
  const Target target = find_target(inst, warp, addresses);
  const T* b = lanes_at<const T>(warp, inst->b);
  const T* c = inst->c.bits ? lanes_at<const T>(warp, inst->c) : b;
  const bool concurrent = target.in_global && !warp.launch->code->ordered;
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* host = memory_of_lane(inst, warp, target, lane, addresses[lane]);
    if (concurrent) {
      reduce_concurrently<Op>(host, b[lane]);
      continue;
    }
    T old;
    std::memcpy(&old, host, sizeof old);
    const T updated = Op::of(old, b[lane], c[lane], target.in_global);
    std::memcpy(host, &updated, sizeof updated);
    if (inst->d.bits) lanes_at<T>(warp, inst->d)[lane] = old;
  }
  return inst + 1;
}

// Each element is a separate atomic (PTX ISA, "atom"); the elements of a lane are processed in order.
template <class Op, class T>
const Inst* vector_atomic(const Inst* inst, Warp& warp) {
  const LaneAddresses addresses = generic_addresses(inst, warp);
  const Target target = find_target(inst, warp, addresses);
  const int elements = target.site->info->vector;
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* host = memory_of_lane(inst, warp, target, lane, addresses[lane]);
    for (int element = 0; element < elements; ++element, host += sizeof(T)) {
      const T operand = lanes_at<const T>(warp, inst->slots[element])[lane];
      T old;
      std::memcpy(&old, host, sizeof old);
      const T updated = Op::of(old, operand, operand, target.in_global);
      std::memcpy(host, &updated, sizeof updated);
      if (inst->d.bits) lanes_at<T>(warp, inst->slots[elements + element])[lane] = old;
    }
  }
  return inst + 1;
}

template <class Op, class T>
void add_vector(OpcodeTable& table, const std::string& name) {
  table.add("atom.vector." + name, Shape::kInternal, ptx::Type::kNone, 0, {}, &vector_atomic<Op, T>);
}

template <class Op>
void add_vectors_of_halves(OpcodeTable& table, const std::string& name) {
  add_vector<Op, Float16>(table, name + ".f16");
  add_vector<Op, BFloat16>(table, name + ".bf16");
  add_vector<Op, Pair<Float16>>(table, name + ".f16x2");
  add_vector<Op, Pair<BFloat16>>(table, name + ".bf16x2");
}

template <class Op, class T>
void add(OpcodeTable& table, const char* name) {
  table.add(std::string("atom.") + name, Shape::kInternal, ptx::Type::kNone, 0, {}, &atomic<Op, T>);
}

template <class Op>
void add_bitwise(OpcodeTable& table, const std::string& name) {
  add<Op, std::uint32_t>(table, (name + ".b32").c_str());
  add<Op, std::uint64_t>(table, (name + ".b64").c_str());
}

template <class Op>
void add_ordered(OpcodeTable& table, const std::string& name) {
  add<Op, std::uint32_t>(table, (name + ".u32").c_str());
  add<Op, std::int32_t>(table, (name + ".s32").c_str());
  add<Op, std::uint64_t>(table, (name + ".u64").c_str());
  add<Op, std::int64_t>(table, (name + ".s64").c_str());
}

}  // namespace

// ---- many elements at once ---------------------------------------------------------------------------
namespace {

template <class Op, class T>
void reduce_all(std::byte* memory, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old, operand;
    std::memcpy(&old, memory + at, sizeof old);
    std::memcpy(&operand, from + at, sizeof operand);
    const T updated = Op::of(old, operand, operand, false);
    std::memcpy(memory + at, &updated, sizeof updated);
  }
}

struct NamedReduction {
  std::string_view name;
  Reduction reduce;
};
constexpr NamedReduction kReductions[] = {
    {"add.u32", reduce_all<Add, std::uint32_t>},
    {"add.s32", reduce_all<Add, std::uint32_t>},
    {"add.u64", reduce_all<Add, std::uint64_t>},
    {"add.s64", reduce_all<Add, std::uint64_t>},
    {"add.f32", reduce_all<Add, float>},
    {"add.f64", reduce_all<Add, double>},
    {"add.f16", reduce_all<Add, Float16>},
    {"add.bf16", reduce_all<Add, BFloat16>},
    {"min.f16", reduce_all<Min, Float16>},
    {"max.f16", reduce_all<Max, Float16>},
    {"min.bf16", reduce_all<Min, BFloat16>},
    {"max.bf16", reduce_all<Max, BFloat16>},
    {"min.u32", reduce_all<Min, std::uint32_t>},
    {"max.u32", reduce_all<Max, std::uint32_t>},
    {"min.s32", reduce_all<Min, std::int32_t>},
    {"max.s32", reduce_all<Max, std::int32_t>},
    {"min.u64", reduce_all<Min, std::uint64_t>},
    {"max.u64", reduce_all<Max, std::uint64_t>},
    {"min.s64", reduce_all<Min, std::int64_t>},
    {"max.s64", reduce_all<Max, std::int64_t>},
    {"inc.u32", reduce_all<Increment, std::uint32_t>},
    {"dec.u32", reduce_all<Decrement, std::uint32_t>},
    {"and.b32", reduce_all<And, std::uint32_t>},
    {"and.b64", reduce_all<And, std::uint64_t>},
    {"or.b32", reduce_all<Or, std::uint32_t>},
    {"or.b64", reduce_all<Or, std::uint64_t>},
    {"xor.b32", reduce_all<Xor, std::uint32_t>},
    {"xor.b64", reduce_all<Xor, std::uint64_t>},
};

}  // namespace

Reduction reduction_named(std::string_view name) {
  for (const NamedReduction& row : kReductions)
    if (row.name == name) return row.reduce;
  return nullptr;
}

void add_atomic_rows(OpcodeTable& table) {
  add<Add, std::uint32_t>(table, "add.u32");
  add<Add, std::uint32_t>(table, "add.s32");  // wraps
  add<Add, std::uint64_t>(table, "add.u64");
  add<Add, std::uint64_t>(table, "add.s64");
  add<Add, float>(table, "add.f32");
  add<Add, double>(table, "add.f64");
  add<Add, Float16>(table, "add.f16");
  add<Add, Pair<Float16>>(table, "add.f16x2");
  add<Add, BFloat16>(table, "add.bf16");
  add<Add, Pair<BFloat16>>(table, "add.bf16x2");
  add_ordered<Min>(table, "min");
  add_ordered<Max>(table, "max");
  add_bitwise<And>(table, "and");
  add_bitwise<Or>(table, "or");
  add_bitwise<Xor>(table, "xor");
  add_bitwise<Exchange>(table, "exch");
  add_bitwise<CompareSwap>(table, "cas");
  add<CompareSwap, std::uint16_t>(table, "cas.b16");
  add<CompareSwap, Bits128>(table, "cas.b128");
  add<Exchange, Bits128>(table, "exch.b128");
  add<Increment, std::uint32_t>(table, "inc.u32");
  add<Decrement, std::uint32_t>(table, "dec.u32");
  add_vector<Add, float>(table, "add.f32");
  add_vectors_of_halves<Add>(table, "add");
  add_vectors_of_halves<Min>(table, "min");
  add_vectors_of_halves<Max>(table, "max");
}

}  // namespace cudalab::vgpu
