// ld and st in every memory space: match the lanes' addresses with a known pattern, then move the data.
#include <bit>
#include <type_traits>

#include "vgpu/checks/observe.h"
#include "vgpu/counters/patterns.h"
#include "vgpu/execute/lane_access.h"
#include "vgpu/opcodes/host_vectors.h"
#include "vgpu/opcodes/lanes.h"
#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <int Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};
template <>
struct UnsignedOf<16> {
  using type = unsigned __int128;
};
template <int Bytes>
using Unsigned = typename UnsignedOf<Bytes>::type;

// ---- patterns ----------------------------------------------------------------------------------------
template <class A>
const auto* offsets_of(const Pattern& pattern) {
  if constexpr (sizeof(A) == 4)
    return pattern.narrow.data();
  else
    return pattern.offset.data();
}

template <class A>
bool same_offsets(const A* addresses, A first, const Pattern& pattern, std::uint32_t exec) {
  const auto* offsets = offsets_of<A>(pattern);
  A differs = 0;
  if (exec == kAllLanes) [[likely]] {
#pragma omp simd reduction(| : differs)
    for (int lane = 0; lane < kWarpSize; ++lane)
      differs |= static_cast<A>(addresses[lane] - first) ^ static_cast<A>(offsets[lane]);
  } else {
#pragma omp simd reduction(| : differs)
    for (int lane = 0; lane < kWarpSize; ++lane)
      differs |= (static_cast<A>(addresses[lane] - first) ^ static_cast<A>(offsets[lane])) &
                 static_cast<A>(-static_cast<A>(exec >> lane & 1));
  }
  return differs == 0;
}

// Computes the lanes' generic addresses. 32-bit addresses wrap, as on a GPU.
template <class A>
void generic_addresses(const A* addresses, std::uint64_t displacement, std::uint64_t window,
                       std::uint64_t* out) {
#pragma omp simd
  for (int lane = 0; lane < kWarpSize; ++lane)
    out[lane] = static_cast<A>(addresses[lane] + static_cast<A>(displacement)) + window;
}

// An access that does not repeat the cached pattern. A separate function, so the common path stays small.
template <class A>
[[gnu::noinline]] Pattern& other_pattern(SiteState& site, const A* addresses, const Inst* inst,
                                         const Warp& warp, std::uint64_t base, std::uint64_t window) {
  alignas(64) LaneAddresses generic;
  generic_addresses(addresses, inst->imm, window, generic.data());
  return count_other(site,
                     {generic, warp.exec, base, static_cast<std::uint32_t>(base) & site.info->residue_mask});
}

// `base` is the generic address of the first active lane.
template <class A>
Pattern& match_pattern(SiteState& site, const A* addresses, const Inst* inst, const Warp& warp,
                       std::uint64_t base, std::uint64_t window) {
  const std::uint32_t residue = static_cast<std::uint32_t>(base) & site.info->residue_mask;
  Pattern& entry = site.patterns[place_of(site, base)];
  const A first = addresses[std::countr_zero(warp.exec)];
  if (entry.active == warp.exec && entry.residue == residue &&
      same_offsets(addresses, first, entry, warp.exec)) [[likely]] {
    ++entry.hits;
    return entry;
  }
  return other_pattern(site, addresses, inst, warp, base, window);
}

// ---- spaces ------------------------------------------------------------------------------------------
// host(): the memory of the first active lane if all lanes are inside, else nullptr.
struct GlobalSpace {
  static constexpr bool kIsTraced = true;
  static constexpr std::uint64_t kWindow = 0;
  static NoStep lane_step(const Warp&) { return {}; }
  static std::byte* host(Warp& warp, SiteState& site, std::uint64_t base, const Pattern& pattern) {
    if (!pattern.regular) return nullptr;
    Allocation* allocation = site.allocation;
    if (!inside(allocation, base, pattern)) [[unlikely]] {
      allocation = find_allocation(warp, site, base + pattern.low, base + pattern.high);
      if (!inside(allocation, base, pattern)) return nullptr;
    }
    return allocation->host.get() + (base - allocation->base);
  }
  static bool inside(const Allocation* allocation, std::uint64_t base, const Pattern& pattern) {
    if (!allocation) return false;
    const auto at = static_cast<std::int64_t>(base - allocation->base);
    return at >= 0 && at + pattern.low >= 0 &&
           at + pattern.high <= static_cast<std::int64_t>(allocation->bytes);
  }
};

struct SharedSpace {
  static constexpr bool kIsTraced = false;
  static constexpr std::uint64_t kWindow = kSharedWindow;
  static NoStep lane_step(const Warp&) { return {}; }
  static std::byte* host(Warp& warp, SiteState& site, std::uint64_t base, const Pattern& pattern) {
    const auto at = static_cast<std::int64_t>(base - kSharedWindow);
    const std::int64_t end = std::min(static_cast<std::int64_t>(warp.shared_bytes), site.info->shared_end);
    const bool inside =
        pattern.regular && at + pattern.low >= site.info->shared_begin && at + pattern.high <= end;
    return inside ? warp.shared + at : nullptr;
  }
};

struct LocalSpace {
  static constexpr bool kIsTraced = true;
  static constexpr std::uint64_t kWindow = kLocalWindow;
  static std::int64_t lane_step(const Warp& warp) { return static_cast<std::int64_t>(warp.local_bytes); }
  static std::byte* host(Warp& warp, SiteState&, std::uint64_t base, const Pattern& pattern) {
    const auto at = static_cast<std::int64_t>(base - kLocalWindow);
    const bool inside = pattern.regular && at >= 0 && at + pattern.low >= 0 &&
                        at + pattern.high <= static_cast<std::int64_t>(warp.local_bytes);
    return inside ? warp.local + at + std::countr_zero(warp.exec) * lane_step(warp) : nullptr;
  }
};

// ---- moving data -------------------------------------------------------------------------------------
// Loads one lane's element of `E` bytes, number `element` of its vector, from `host`.
template <int E>
void load_one(const Warp& warp, Slot slot, int lane, const std::byte* host) {
  std::memcpy(&at<Unsigned<E>>(warp, slot)[lane], host, E);
}
template <int E>
void store_one(const Warp& warp, Slot slot, int lane, std::byte* host) {
  std::memcpy(host, &at<Unsigned<E>>(warp, slot)[lane], E);
}

template <int Vector>
Slot element_slot(const Inst* inst, int element) {
  if constexpr (Vector == 1)
    return inst->d;
  else
    return inst->slots[element];
}

// The registers of a vector's elements.
template <class T, int Vector>
std::array<T*, Vector> registers_of(const Inst* inst, const Warp& warp) {
  std::array<T*, Vector> registers;
  for (int element = 0; element < Vector; ++element)
    registers[element] = at<T>(warp, element_slot<Vector>(inst, element));
  return registers;
}

// Calls move(lane, memory of that lane) for every active lane.
template <class A, class Step, class Move>
void for_each_lane(const Warp& warp, std::byte* host, const Pattern& pattern, Step lane_step, Move move) {
  const auto* offsets = offsets_of<A>(pattern);
  if (warp.exec == kAllLanes) [[likely]] {
    for (int lane = 0; lane < kWarpSize; ++lane) move(lane, host + offsets[lane] + lane * lane_step);
    return;
  }
  const int first = std::countr_zero(warp.exec);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    move(lane, host + offsets[lane] + (lane - first) * lane_step);
  }
}

// Loads rows of lanes; Lanes is 8, 16 or 32.
template <int E, int Lanes>
void load_rows_of(Unsigned<E>* d, const std::byte* host, const Pattern& pattern) {
  for (int first = 0; first < kWarpSize; first += Lanes) {
    const std::byte* row = host + pattern.offset[first];
    if (pattern.movement == Movement::kContiguousRows) {
      std::memcpy(d + first, row, E * Lanes);
    } else {
      Unsigned<E> value;
      std::memcpy(&value, row, E);
      for (int lane = first; lane < first + Lanes; ++lane) d[lane] = value;
    }
  }
}
template <int E>
void load_rows(Unsigned<E>* d, const std::byte* host, const Pattern& pattern) {
  if (pattern.row_lanes == 32) return load_rows_of<E, 32>(d, host, pattern);
  if (pattern.row_lanes == 16) return load_rows_of<E, 16>(d, host, pattern);
  load_rows_of<E, 8>(d, host, pattern);
}
template <int E>
void store_rows(std::byte* host, const Unsigned<E>* d, const Pattern& pattern) {
  for (int first = 0; first < kWarpSize; first += pattern.row_lanes)
    std::memcpy(host + pattern.offset[first], d + first, std::size_t{E} * pattern.row_lanes);
}

template <int E, int Vector>
struct Load {
  static constexpr AccessMode kMode = AccessMode::kRead;
  static void one(const Inst* inst, const Warp& warp, int lane, std::byte* host) {
    for (int element = 0; element < Vector; ++element)
      load_one<E>(warp, element_slot<Vector>(inst, element), lane, host + element * E);
  }
  template <class A, class Step>
  static void all(const Inst* inst, const Warp& warp, std::byte* host, const Pattern& pattern,
                  Step lane_step) {
    if constexpr (Vector == 1) {
      if (pattern.movement != Movement::kScattered && lane_step == 0) {
        load_rows<E>(at<Unsigned<E>>(warp, inst->d), host, pattern);
        return;
      }
    }
    if constexpr (fits_host_vectors<Unsigned<E>, Vector>()) {
      if (warp.exec == kAllLanes)
        return load_elements(registers_of<Unsigned<E>, Vector>(inst, warp),
                             LaneMemory{host, offsets_of<A>(pattern), lane_step});
    }
    for_each_lane<A>(warp, host, pattern, lane_step,
                     [&](int lane, std::byte* memory) { one(inst, warp, lane, memory); });
  }
};

template <int E, int Vector>
struct Store {
  static constexpr AccessMode kMode = AccessMode::kWrite;
  static void one(const Inst* inst, const Warp& warp, int lane, std::byte* host) {
    for (int element = 0; element < Vector; ++element)
      store_one<E>(warp, element_slot<Vector>(inst, element), lane, host + element * E);
  }
  template <class A, class Step>
  static void all(const Inst* inst, const Warp& warp, std::byte* host, const Pattern& pattern,
                  Step lane_step) {
    if constexpr (Vector == 1) {
      if (pattern.movement == Movement::kContiguousRows && lane_step == 0) {
        store_rows<E>(host, at<Unsigned<E>>(warp, inst->d), pattern);
        return;
      }
    }
    if constexpr (Vector > 1 && fits_host_vectors<Unsigned<E>, Vector>()) {
      if (warp.exec == kAllLanes)
        return store_elements(registers_of<Unsigned<E>, Vector>(inst, warp),
                              LaneMemory{host, offsets_of<A>(pattern), lane_step});
    }
    for_each_lane<A>(warp, host, pattern, lane_step,
                     [&](int lane, std::byte* memory) { one(inst, warp, lane, memory); });
  }
};

// ---- one access --------------------------------------------------------------------------------------
// Lane by lane, each at its own generic address; throws at the first invalid one.
template <class Move, class A>
void move_slowly(const Inst* inst, Warp& warp, const SiteState& site, const A* addresses,
                 std::uint64_t window) {
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = static_cast<A>(addresses[lane] + static_cast<A>(inst->imm)) + window;
    std::byte* host = locate_lane(inst, warp, site, lane, address, Move::kMode);
    if (warp.observed) observe_lane(inst, warp, site, lane, address, Move::kMode);
    Move::one(inst, warp, lane, host);
  }
}

template <class Space, class Move, class A>
void access(const Inst* inst, Warp& warp, SiteState& site, const A* addresses, std::uint64_t base,
            std::uint64_t window) {
  const Pattern& pattern = match_pattern(site, addresses, inst, warp, base, window);
  std::byte* host = Space::host(warp, site, base, pattern);
  if (!host) [[unlikely]] {
    if constexpr (std::is_same_v<Space, GlobalSpace>)
      if (warp.trace && is_all_global(pattern, base)) warp.trace->add(warp, site, pattern, base);
    move_slowly<Move>(inst, warp, site, addresses, window);
    return;
  }
  if (warp.observed) observe_access(inst, warp, site, pattern, base, Move::kMode);
  if constexpr (Space::kIsTraced)
    if (warp.trace) warp.trace->add(warp, site, pattern, base - Space::kWindow);
  Move::template all<A>(inst, warp, host, pattern, Space::lane_step(warp));
}

template <class Space, class Move, class A>
const Inst* access_space(const Inst* inst, Warp& warp) {
  const A* addresses = at<const A>(warp, inst->a);
  const A first = addresses[std::countr_zero(warp.exec)];
  const std::uint64_t base = static_cast<A>(first + static_cast<A>(inst->imm)) + Space::kWindow;
  access<Space, Move>(inst, warp, warp.sites[inst->site], addresses, base, Space::kWindow);
  return inst + 1;
}

// For generic addresses, the first lane decides the window; lanes in another window are outside that window's
// memory and take the slow path.
template <class Move>
const Inst* access_generic(const Inst* inst, Warp& warp) {
  const std::uint64_t* addresses = at<const std::uint64_t>(warp, inst->a);
  const std::uint64_t base = addresses[std::countr_zero(warp.exec)] + inst->imm;
  SiteState* sites = &warp.sites[inst->site];
  if (base - kSharedWindow < kRankBytes)
    access<SharedSpace, Move>(inst, warp, sites[1], addresses, base, 0);
  else if (base - kLocalWindow < kWindowBytes)
    access<LocalSpace, Move>(inst, warp, sites[2], addresses, base, 0);
  else if (base - kSharedWindow < kWindowBytes)  // how a GPU counts accesses to other blocks is unknown
    move_slowly<Move>(inst, warp, sites[1], addresses, 0);
  else
    access<GlobalSpace, Move>(inst, warp, sites[0], addresses, base, 0);
  return inst + 1;
}

// ---- parameters of a kernel: the same for every lane -------------------------------------------------
template <int E>
const Inst* load_parameter(const Inst* inst, Warp& warp) {
  Unsigned<E> value;
  std::memcpy(&value, warp.parameters + inst->imm, E);
  auto* d = at<Unsigned<E>>(warp, inst->d);
  if (warp.exec == kAllLanes) [[likely]] {
    for (int lane = 0; lane < kWarpSize; ++lane) d[lane] = value;
  } else {
    for (int lane = 0; lane < kWarpSize; ++lane) d[lane] = (warp.exec >> lane & 1) ? value : d[lane];
  }
  return inst + 1;
}

// Parameters and results of called functions: in the frame, each lane's bytes are contiguous, Inst::imm bytes
// per lane. A parameter of a single element is laid out like a register.
template <int E>
const Inst* load_call_parameter(const Inst* inst, Warp& warp) {
  const std::byte* blob = at<const std::byte>(warp, inst->a);
  if (inst->imm == E) {
    blend(at<Unsigned<E>>(warp, inst->d), at<const Unsigned<E>>(warp, inst->a), warp.exec);
    return inst + 1;
  }
  for (std::uint32_t left = warp.exec; left; left &= left - 1)
    load_one<E>(warp, inst->d, std::countr_zero(left), blob + std::countr_zero(left) * inst->imm);
  return inst + 1;
}
template <int E>
const Inst* store_call_parameter(const Inst* inst, Warp& warp) {
  std::byte* blob = at<std::byte>(warp, inst->a);
  if (inst->imm == E) {
    blend(at<Unsigned<E>>(warp, inst->a), at<const Unsigned<E>>(warp, inst->d), warp.exec);
    return inst + 1;
  }
  for (std::uint32_t left = warp.exec; left; left &= left - 1)
    store_one<E>(warp, inst->d, std::countr_zero(left), blob + std::countr_zero(left) * inst->imm);
  return inst + 1;
}

// ---- rows --------------------------------------------------------------------------------------------
void add(OpcodeTable& table, std::string_view name, Handler run) {
  table.add(name, Shape::kInternal, kNone, 0, {}, run);
}

template <class Move>
void add_spaces(OpcodeTable& table, const std::string& op, const std::string& width) {
  add(table, op + ".global" + width, &access_space<GlobalSpace, Move, std::uint64_t>);
  add(table, op + ".shared" + width, &access_space<SharedSpace, Move, std::uint64_t>);
  add(table, op + ".shared" + width + ".a32", &access_space<SharedSpace, Move, std::uint32_t>);
  add(table, op + ".local" + width, &access_space<LocalSpace, Move, std::uint64_t>);
  add(table, op + ".local" + width + ".a32", &access_space<LocalSpace, Move, std::uint32_t>);
  add(table, op + ".generic" + width, &access_generic<Move>);
}

template <int E, int Vector>
void add_width(OpcodeTable& table) {
  const std::string width = ".b" + std::to_string(8 * E) + (Vector > 1 ? ".v" + std::to_string(Vector) : "");
  add_spaces<Load<E, Vector>>(table, "ld", width);
  add_spaces<Store<E, Vector>>(table, "st", width);
}

template <int E>
void add_element(OpcodeTable& table) {
  add_width<E, 1>(table);
  add_width<E, 2>(table);
  add_width<E, 4>(table);
  if constexpr (E == 4) add_width<E, 8>(table);  // 32 bytes per lane: compute capability 10.0 and later
  const std::string width = ".b" + std::to_string(8 * E);
  add(table, "ld.param.entry" + width, &load_parameter<E>);
  add(table, "ld.param.call" + width, &load_call_parameter<E>);
  add(table, "st.param.call" + width, &store_call_parameter<E>);
}

}  // namespace

void add_memory_rows(OpcodeTable& table) {
  add_element<1>(table);
  add_element<2>(table);
  add_element<4>(table);
  add_element<8>(table);
  add_width<16, 1>(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
