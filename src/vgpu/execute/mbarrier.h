// Executes mbarrier instructions: an mbarrier counts arrivals and bytes per phase (PTX ISA, "mbarrier";
// cuda::barrier and cuda::pipeline are built on it).
//
// PTX leaves the layout of the 64-bit object open. Here, from the lowest bit:
//
//   | pending arrivals 20 | arrivals per phase 20 | pending bytes, signed 22 | phase, modulo 2 | 1: no object
// |
//
// An arrival returns the previous contents of the object as its state. Uninitialized shared memory is no
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

// Counts bytes that have arrived, and completes the phase if nothing else is pending. `by`: the responsible
// warp, for the checks. `offset`: of the object in the shared memory of `block`.
void complete_bytes(const Inst* inst, Warp& by, int lane, Block& block, std::uint64_t offset,
                    std::int64_t bytes);

[[noreturn]] void report_endless_phase(Warp& warp);

namespace mbarrier {

// For all: a = generic address of the object; site: of a shared-memory atomic.
const Inst* init(const Inst* inst, Warp& warp);            // b: arrivals per phase
const Inst* invalidate(const Inst* inst, Warp& warp);      // removes the object
const Inst* expect_bytes(const Inst* inst, Warp& warp);    // adds b to the bytes expected in this phase
const Inst* complete_bytes(const Inst* inst, Warp& warp);  // counts b bytes as arrived

// d (optional) = previous state. b (optional): number of arrivals; with kExpectsBytes: bytes expected in
// addition to one arrival.
enum ArriveFlags : std::uint64_t {
  kExpectsBytes = 1,
  kDrops = 2,    // later phases expect that many arrivals less
  kRelaxed = 4,  // orders nothing
};
const Inst* arrive(const Inst* inst, Warp& warp);
// cp.async.mbarrier.arrive: arrives once all cp.async that the lane has issued so far are complete. imm:
// kCountsItself, or 0.
inline constexpr std::uint64_t kCountsItself = 1;  // raises the pending arrivals of the phase by one
const Inst* arrive_after_copies(const Inst* inst, Warp& warp);

// d = whether the phase of state b is complete; with kParity: the phase of parity b.
enum WaitFlags : std::uint64_t { kParity = 1, kIsRelaxed = 2 };
const Inst* wait(const Inst* inst, Warp& warp);

// d = pending arrivals of state a.
const Inst* pending_count(const Inst* inst, Warp& warp);

}  // namespace mbarrier
}  // namespace cudalab::vgpu
