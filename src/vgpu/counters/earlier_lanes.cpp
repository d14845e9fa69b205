#include "vgpu/counters/access_costs.h"
#include "vgpu/levels.h"
#include "vgpu/memory/host_intrinsics.h"

namespace cudalab::vgpu {

// ---- one lane distance at a time ---------------------------------------------------------------------
namespace {

[[gnu::always_inline]] inline std::uint32_t bits_of(const EachLane& flags) {
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) bits |= flags[lane] << lane;
  return bits;
}

// The lanes' numbers, preceded by zeros.
struct alignas(64) NumbersBefore {
  std::array<std::uint32_t, 2 * kWarpSize> number;
};
[[gnu::always_inline]] inline NumbersBefore with_nobody_before(const EachLane& number) {
  NumbersBefore before{};
  for (int lane = 0; lane < kWarpSize; ++lane) before.number[kWarpSize + lane] = number[lane];
  return before;
}

// `kGroup`: how far lanes look back. A whole warp needs no check for the start of a group.
template <int kGroup>
[[gnu::always_inline]] inline std::uint32_t repeated_in_groups(const EachLane& number) {
  const NumbersBefore before = with_nobody_before(number);
  const std::uint32_t* own = before.number.data() + kWarpSize;
  EachLane repeated{};
  for (int distance = 1; distance < kGroup; ++distance)
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const bool is_in_group = kGroup == kWarpSize || lane % kGroup >= distance;
      repeated[lane] |= std::uint32_t{own[lane] == own[lane - distance]} & std::uint32_t{is_in_group};
    }
  return bits_of(repeated);
}

}  // namespace

namespace by_distance {

CUDALAB_EACH_LEVEL std::uint32_t repeated_lanes(const EachLane& number, int group) {
  return group == kWarpSize       ? repeated_in_groups<kWarpSize>(number)
         : group == kWarpSize / 2 ? repeated_in_groups<kWarpSize / 2>(number)
                                  : repeated_in_groups<kWarpSize / 4>(number);
}

CUDALAB_EACH_LEVEL EachLane earlier_equals(const EachLane& number) {
  const NumbersBefore before = with_nobody_before(number);
  const std::uint32_t* own = before.number.data() + kWarpSize;
  EachLane earlier{};
  for (int distance = 1; distance < kWarpSize; ++distance)
    for (int lane = 0; lane < kWarpSize; ++lane)
      earlier[lane] |= (0 - std::uint32_t{own[lane] == own[lane - distance]}) & (1u << lane >> distance);
  return earlier;
}

}  // namespace by_distance

// ---- with conflict detection -------------------------------------------------------------------------
#ifdef CUDALAB_CHOOSES_LEVEL
namespace {

bool detects_conflicts() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd"); }

#define CUDALAB_DETECTING [[gnu::target("avx512f,avx512cd")]]
constexpr int kHalf = kWarpSize / 2;

// Conflict detection covers 16 lanes; the other half is compared with each of them.
CUDALAB_DETECTING std::uint32_t repeated_by_conflicts(const EachLane& number, int group) {
  const __m512i low = _mm512_load_si512(number.data()), high = _mm512_load_si512(number.data() + kHalf);
  constexpr short kOwnQuarter = static_cast<short>(0xff00);  // lanes 8 to 15
  const __m512i in_group =
      group >= kHalf ? _mm512_set1_epi32(-1)
                     : _mm512_mask_set1_epi32(_mm512_set1_epi32(-1), kOwnQuarter, kOwnQuarter & 0xffff);
  const std::uint32_t in_low = _mm512_test_epi32_mask(_mm512_conflict_epi32(low), in_group);
  std::uint32_t in_high = _mm512_test_epi32_mask(_mm512_conflict_epi32(high), in_group);
  if (group == kWarpSize) {
    __m512i least = _mm512_set1_epi32(-1);  // 0 in lanes that match
#pragma GCC unroll 16
    for (int lane = 0; lane < kHalf; ++lane)
      least =
          _mm512_min_epu32(least, _mm512_xor_si512(high, _mm512_set1_epi32(static_cast<int>(number[lane]))));
    in_high |= _mm512_cmpeq_epi32_mask(least, _mm512_setzero_si512());
  }
  return in_low | in_high << kHalf;
}

CUDALAB_DETECTING EachLane earlier_by_conflicts(const EachLane& number) {
  const __m512i low = _mm512_load_si512(number.data()), high = _mm512_load_si512(number.data() + kHalf);
  __m512i of_high = _mm512_slli_epi32(_mm512_conflict_epi32(high), kHalf);
#pragma GCC unroll 16
  for (int lane = 0; lane < kHalf; ++lane) {
    const __mmask16 agree = _mm512_cmpeq_epi32_mask(high, _mm512_set1_epi32(static_cast<int>(number[lane])));
    of_high = _mm512_mask_or_epi32(of_high, agree, of_high, _mm512_set1_epi32(1 << lane));
  }
  EachLane earlier;
  _mm512_store_si512(earlier.data(), _mm512_conflict_epi32(low));
  _mm512_store_si512(earlier.data() + kHalf, of_high);
  return earlier;
}

}  // namespace

std::uint32_t repeated_lanes(const EachLane& number, int group) {
  return detects_conflicts() ? repeated_by_conflicts(number, group)
                             : by_distance::repeated_lanes(number, group);
}
EachLane earlier_equals(const EachLane& number) {
  return detects_conflicts() ? earlier_by_conflicts(number) : by_distance::earlier_equals(number);
}
#else
std::uint32_t repeated_lanes(const EachLane& number, int group) {
  return by_distance::repeated_lanes(number, group);
}
EachLane earlier_equals(const EachLane& number) { return by_distance::earlier_equals(number); }
#endif

}  // namespace cudalab::vgpu
