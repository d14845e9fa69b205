// Warp-wide operations: shuffles, votes, matches and reductions (PTX ISA, "Parallel Synchronization and
// Communication Instructions"). gather_lanes (control.h) has synchronized the lanes before.
#include <bit>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// ---- shuffles ----------------------------------------------------------------------------------------
// Segments: c holds the clamp value in bits 0 to 4 and the segment mask in bits 8 to 12. A mode determines
// the source lane and whether it is inside the segment (PTX ISA, "shfl.sync").
struct Segment {
  std::uint32_t first, last;
};
struct Source {
  std::uint32_t lane;
  bool inside;
};

struct Up {
  static Source from(std::uint32_t lane, std::uint32_t b, std::uint32_t, Segment s) {
    return {lane - b, static_cast<std::int32_t>(lane - b) >= static_cast<std::int32_t>(s.last)};
  }
};
struct Down {
  static Source from(std::uint32_t lane, std::uint32_t b, std::uint32_t, Segment s) {
    return {lane + b, lane + b <= s.last};
  }
};
struct Butterfly {
  static Source from(std::uint32_t lane, std::uint32_t b, std::uint32_t, Segment s) {
    return {lane ^ b, (lane ^ b) <= s.last};
  }
};
struct Index {
  static Source from(std::uint32_t, std::uint32_t b, std::uint32_t mask, Segment s) {
    const std::uint32_t lane = s.first | (b & ~mask);
    return {lane, lane <= s.last};
  }
};

// A lane that reads an inactive lane gets its own value; on a GPU the value is undefined.
template <class Mode>
const Inst* shuffle(const Inst* inst, Warp& warp) {
  const auto *a = at<const std::uint32_t>(warp, inst->a), *b = at<const std::uint32_t>(warp, inst->b),
             *c = at<const std::uint32_t>(warp, inst->c);
  alignas(64) std::uint32_t out[kWarpSize];
  alignas(64) std::uint8_t inside[kWarpSize];
  const std::uint32_t exec = warp.exec;
#pragma omp simd
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t mask = c[lane] >> 8 & 31, clamp = c[lane] & 31;
    const Segment segment{lane & mask, (lane & mask) | (clamp & ~mask)};
    const Source source = Mode::from(lane, b[lane] & 31, mask, segment);
    const std::uint32_t from = source.inside ? source.lane & 31 : lane;
    out[lane] = a[(exec >> from & 1) ? from : lane];
    inside[lane] = source.inside ? 1 : 0;
  }
  blend(at<std::uint32_t>(warp, inst->d), out, exec);
  if (inst->d2.bits) write_mask(mask_at(warp, inst->d2), pack_bits(inside), exec);
  return inst + 1;
}

// ---- groups of lanes with one mask -------------------------------------------------------------------
template <class T>
std::uint32_t lanes_equal(const T* values, T value) {
  alignas(64) std::uint8_t equal[kWarpSize];
#pragma omp simd
  for (int lane = 0; lane < kWarpSize; ++lane) equal[lane] = values[lane] == value ? 1 : 0;
  return pack_bits(equal);
}

// Calls f(lanes) for each set of active lanes that share a mask; usually one call for all lanes.
template <class F>
void for_each_group(const Inst* inst, const Warp& warp, F f) {
  const auto* masks = at<const std::uint32_t>(warp, inst->e);
  for (std::uint32_t left = warp.exec; left;) {
    const std::uint32_t mask = masks[std::countr_zero(left)];
    const std::uint32_t group = left & lanes_equal(masks, mask);
    f(group);
    left &= ~group;
  }
}

template <class T>
void set_lanes(const Warp& warp, Slot slot, std::uint32_t lanes, T value) {
  T* d = at<T>(warp, slot);
#pragma omp simd
  for (int lane = 0; lane < kWarpSize; ++lane) d[lane] = (lanes >> lane & 1) ? value : d[lane];
}

// ---- votes -------------------------------------------------------------------------------------------
struct All {
  static bool of(std::uint32_t value, std::uint32_t group) { return value == group; }
};
struct Any {
  static bool of(std::uint32_t value, std::uint32_t) { return value != 0; }
};
struct Uniform {
  static bool of(std::uint32_t value, std::uint32_t group) { return value == group || value == 0; }
};

template <class Question>
const Inst* vote(const Inst* inst, Warp& warp) {
  const std::uint32_t value = mask_at(warp, inst->a);
  std::uint32_t answer = 0;
  for_each_group(inst, warp, [&](std::uint32_t group) {
    if (Question::of(value & group, group)) answer |= group;
  });
  write_mask(mask_at(warp, inst->d), answer, warp.exec);
  return inst + 1;
}

const Inst* ballot(const Inst* inst, Warp& warp) {
  const std::uint32_t value = mask_at(warp, inst->a);
  for_each_group(inst, warp,
                 [&](std::uint32_t group) { set_lanes<std::uint32_t>(warp, inst->d, group, value & group); });
  return inst + 1;
}

const Inst* active_mask(const Inst* inst, Warp& warp) {
  set_lanes<std::uint32_t>(warp, inst->d, warp.exec, warp.exec);
  return inst + 1;
}

// The leader is the group's first lane.
const Inst* elect(const Inst* inst, Warp& warp) {
  std::uint32_t leaders = 0;
  for_each_group(inst, warp, [&](std::uint32_t group) {
    leaders |= group & -group;
    set_lanes<std::uint32_t>(warp, inst->d, group, static_cast<std::uint32_t>(std::countr_zero(group)));
  });
  if (inst->d2.bits) write_mask(mask_at(warp, inst->d2), leaders, warp.exec);
  return inst + 1;
}

// ---- matches -----------------------------------------------------------------------------------------
template <class T>
const Inst* match_any(const Inst* inst, Warp& warp) {
  alignas(64) T a[kWarpSize];  // the result may overwrite the source
  std::memcpy(a, at<const T>(warp, inst->a), sizeof a);
  for_each_group(inst, warp, [&](std::uint32_t group) {
    for (std::uint32_t left = group; left;) {
      const std::uint32_t equal = left & lanes_equal(a, a[std::countr_zero(left)]);
      set_lanes<std::uint32_t>(warp, inst->d, equal, equal);
      left &= ~equal;
    }
  });
  return inst + 1;
}

template <class T>
const Inst* match_all(const Inst* inst, Warp& warp) {
  const T* a = at<const T>(warp, inst->a);
  std::uint32_t agreeing = 0;
  for_each_group(inst, warp, [&](std::uint32_t group) {
    if ((group & ~lanes_equal(a, a[std::countr_zero(group)])) == 0) agreeing |= group;
  });
  for_each_group(inst, warp, [&](std::uint32_t group) {
    set_lanes<std::uint32_t>(warp, inst->d, group, agreeing & group);
  });
  if (inst->d2.bits) write_mask(mask_at(warp, inst->d2), agreeing, warp.exec);
  return inst + 1;
}

// ---- reductions --------------------------------------------------------------------------------------
template <class F, class T>
const Inst* reduce(const Inst* inst, Warp& warp) {
  const T* a = at<const T>(warp, inst->a);
  for_each_group(inst, warp, [&](std::uint32_t group) {
    T sum = a[std::countr_zero(group)];
    for (std::uint32_t left = group & (group - 1); left; left &= left - 1)
      sum = F{}(sum, a[std::countr_zero(left)]);
    set_lanes<T>(warp, inst->d, group, sum);
  });
  return inst + 1;
}

template <class T, class F>
void reduction(OpcodeTable& table, const char* name, F) {
  table.add(name, Shape::kInternal, kNone, 0, {}, &reduce<F, T>);
}

void internal(OpcodeTable& table, const char* name, Handler run) {
  table.add(name, Shape::kInternal, kNone, 0, {}, run);
}

}  // namespace

void add_warp_rows(OpcodeTable& table) {
  internal(table, "shfl.up", &shuffle<Up>);
  internal(table, "shfl.down", &shuffle<Down>);
  internal(table, "shfl.bfly", &shuffle<Butterfly>);
  internal(table, "shfl.idx", &shuffle<Index>);
  internal(table, "vote.all", &vote<All>);
  internal(table, "vote.any", &vote<Any>);
  internal(table, "vote.uni", &vote<Uniform>);
  internal(table, "vote.ballot", &ballot);
  internal(table, "activemask", &active_mask);
  internal(table, "elect", &elect);
  internal(table, "match.any.b32", &match_any<std::uint32_t>);
  internal(table, "match.any.b64", &match_any<std::uint64_t>);
  internal(table, "match.all.b32", &match_all<std::uint32_t>);
  internal(table, "match.all.b64", &match_all<std::uint64_t>);
  reduction<std::uint32_t>(table, "redux.add.u32", [](auto a, auto b) { return a + b; });
  reduction<std::uint32_t>(table, "redux.add.s32", [](auto a, auto b) { return a + b; });
  reduction<std::uint32_t>(table, "redux.min.u32", [](auto a, auto b) { return a < b ? a : b; });
  reduction<std::int32_t>(table, "redux.min.s32", [](auto a, auto b) { return a < b ? a : b; });
  reduction<std::uint32_t>(table, "redux.max.u32", [](auto a, auto b) { return a > b ? a : b; });
  reduction<std::int32_t>(table, "redux.max.s32", [](auto a, auto b) { return a > b ? a : b; });
  reduction<std::uint32_t>(table, "redux.and.b32", [](auto a, auto b) { return a & b; });
  reduction<std::uint32_t>(table, "redux.or.b32", [](auto a, auto b) { return a | b; });
  reduction<std::uint32_t>(table, "redux.xor.b32", [](auto a, auto b) { return a ^ b; });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
