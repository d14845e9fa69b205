// mbarrier objects: arrivals and bytes that a phase waits for (PTX ISA, "mbarrier"; cuda::barrier and
// cuda::pipeline are made of them).
//
// PTX leaves open what the 64 bits of an object hold. Here, from the lowest bit on:
//
//   | arrivals missing 20 | arrivals a phase 20 | bytes missing, signed 22 | phase, modulo 2 | 1: no object |
//
// A state that an arrival returns is the object as it was before. Shared memory that nobody has written is no
// object.
#pragma once

#include "vgpu/block.h"

namespace cudalab::vgpu {

struct Mbarrier {
  std::uint32_t missing = 0, expected = 0;  // arrivals
  std::int32_t bytes = 0;
  bool phase = false;

  static constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;
  static constexpr std::int32_t kMostBytes = (1 << 20) - 1;
  bool is_complete() const { return missing == 0 && bytes == 0; }
  void begin_phase();

  static bool is_object(std::uint64_t bits);
  static Mbarrier from(std::uint64_t bits);
  std::uint64_t bits() const;
};

// Bytes that were on their way have arrived: completes the phase where nothing else is missing. `by`: whose
// doing it is, for the checks. `offset`: of the object in the shared memory of `block`.
void complete_bytes(const Inst* inst, Warp& by, int lane, Block& block, std::uint64_t offset,
                    std::int64_t bytes);

[[noreturn]] void report_endless_phase(Warp& warp);

namespace mbarrier {

// Of all: a = the object's generic address; site: one of a shared atomic.
const Inst* init(const Inst* inst, Warp& warp);            // b arrivals a phase
const Inst* invalidate(const Inst* inst, Warp& warp);      // there is no object any more
const Inst* expect_bytes(const Inst* inst, Warp& warp);    // b more bytes must come in this phase
const Inst* complete_bytes(const Inst* inst, Warp& warp);  // b bytes have come

// d (if any) = the state before; b (if any): how many arrivals, or with kExpectsBytes how many bytes are
// expected besides one arrival.
enum ArriveFlags : std::uint64_t {
  kExpectsBytes = 1,
  kDrops = 2,    // from now on a phase needs that many arrivals less
  kRelaxed = 4,  // orders nothing
};
const Inst* arrive(const Inst* inst, Warp& warp);
// cp.async.mbarrier.arrive: one arrival, when the lane's cp.async so far are done. imm: kCountsItself, or 0.
inline constexpr std::uint64_t kCountsItself = 1;  // and the phase needs one arrival more
const Inst* arrive_after_copies(const Inst* inst, Warp& warp);

// d = whether the phase of state b, or with kParity the phase of that parity, is complete.
enum WaitFlags : std::uint64_t { kParity = 1, kIsRelaxed = 2 };
const Inst* wait(const Inst* inst, Warp& warp);

// d = arrivals missing in the state a.
const Inst* pending_count(const Inst* inst, Warp& warp);

}  // namespace mbarrier
}  // namespace cudalab::vgpu
