// The instrumentation interface: what the interpreter tells while it runs a block, and which instruments hear
// it.
//
// Where something happens that an instrument may want to know, the interpreter calls tell(warp, Event{...}),
// before the event takes effect (an access: before data moves). An instrument has a member on(const Event&)
// for each event that it wants; kFor names these instruments, and the compiler compares both. A launch has
// only the instruments that it asked for. A warp knows which, so an event that none of them wants costs one
// test.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/warp.h"

namespace cudalab {
struct Hazard;
}

namespace cudalab::vgpu {

class AccessTrace;
class BlockChecks;
class Recorder;
class WarpWatch;
struct BoundTexels;
struct LaneQuestion;
struct LaunchMoment;
struct ValueStep;

enum Instrument : unsigned {
  kChecks = 1,    // BlockChecks, checks/block_checks.h: races, unwritten memory, undefined values
  kRecorder = 2,  // Recorder, counters/recorder.h: requests and paths of single warps, for pictures
  kTrace = 4,  // AccessTrace, time/access_trace.h: touched lines, waits for other blocks; for the time model
  kWatch = 8,  // WarpWatch, warp_trace.h: each instruction of one warp
};
// The instruments that want an event: the checks alone, unless it says otherwise below.
template <class Event>
inline constexpr unsigned kFor = kChecks;

// clang-format off
// ---- blocks and instructions -------------------------------------------------------------------------
// `counts`: of all blocks of this host thread, so far.
struct BlockStart { Block& block; std::vector<BasicBlockCount>& counts; };
struct BlockEnd { Block& block; std::vector<BasicBlockCount>& counts; };
// `next`: nullptr where the warp cannot go on. InstructionFault comes in the place of InstructionEnd.
struct InstructionStart { const Inst* inst; Warp& warp; };
struct InstructionEnd { const Inst* inst; Warp& warp; const Inst* next; };
struct InstructionFault { Warp& warp; const Hazard& hazard; };
template <> inline constexpr unsigned kFor<BlockStart> = kChecks | kTrace;
template <> inline constexpr unsigned kFor<BlockEnd> = kRecorder | kTrace;
template <> inline constexpr unsigned kFor<InstructionStart> = kWatch;
template <> inline constexpr unsigned kFor<InstructionEnd> = kWatch;
template <> inline constexpr unsigned kFor<InstructionFault> = kWatch;

// ---- accesses ----------------------------------------------------------------------------------------
// All active lanes, in one buffer or in on-chip memory. `base`: the generic address of the first of them.
struct WholeAccess {
  const Inst* inst; Warp& warp; const SiteState& site; const Pattern& pattern; std::uint64_t base; AccessMode mode;
};
// All active lanes, in several buffers. A LaneAccess follows for each of them.
struct SplitAccess { const Warp& warp; const SiteState& site; const Pattern& pattern; std::uint64_t base; };
struct LaneAccess {
  const Inst* inst; Warp& warp; const SiteInfo& info; int lane; std::uint64_t address; AccessMode mode;
};
// The source of a bulk copy when it is issued, its destination when it is issued or arrives.
struct BulkAccess {
  const Inst* inst; Warp& warp; const SiteInfo& info; int lane; std::uint64_t address; std::size_t bytes;
  AccessMode mode;
};
// The texels that a fetch reads, lane by lane. `offset`: in the texels.
struct TexelRead {
  const BoundTexels* texels; const Allocation* memory; std::uint64_t offset; std::uint32_t lane, tap;
};
struct TexelReads { const Inst* inst; Warp& warp; std::span<const TexelRead> reads; };
inline constexpr unsigned kForSharedAccess = kChecks | kRecorder;
template <> inline constexpr unsigned kFor<WholeAccess> = kForSharedAccess | kTrace;
template <> inline constexpr unsigned kFor<SplitAccess> = kTrace;
template <> inline constexpr unsigned kFor<TexelReads> = kChecks | kTrace;

// ---- order -------------------------------------------------------------------------------------------
struct BarrierArrival { const Warp& warp; int barrier; };
struct BarrierOpening { int barrier; std::uint32_t expected; };  // threads; 0: all that are alive
// __threadfence(), __threadfence_block(), the end of __syncwarp(), fence.proxy.async of shared memory,
// fence.mbarrier_init.
struct Fence {
  enum Kind : std::uint8_t { kGrid, kBlock, kLanes, kProxy, kMbarrierInit };
  const Warp& warp; Kind kind;
};
struct ClusterArrival { const Warp& warp; bool is_relaxed; };
struct ClusterOpening {};  // told to the block of rank 0
struct ClusterPass { const Warp& warp; };
// A lane and an mbarrier, at a byte of the shared memory of a block of the cluster.
struct MbarrierUse {
  enum class Kind : std::uint8_t { kInitialise, kUse, kArrive, kPass };
  Kind kind; const Inst* inst; const Warp& warp; int lane; const Block& owner; std::uint64_t offset;
};
struct MbarrierPhase { std::uint64_t offset; };  // it is complete; told to the owner
struct CopyIssue { const Warp& warp; AsyncCopy& copy; };  // cp.async; the copy gets its tick
// Bulk copies. Issue and landing are told to the block that the copy writes to, or else to its own.
struct BulkIssue { const BulkCopy& copy; bool is_reduction, is_own; };  // by this block
struct BulkReadEnd { const Warp& warp; const BulkCopy& copy; };
// `by`, `lane`: who waits for it. `destination`: in shared memory; nullptr: it is in global memory.
struct BulkLanding { const BulkCopy& copy; Warp& by; int lane; const SiteInfo* destination; };

// ---- values and paths --------------------------------------------------------------------------------
struct ValueFlow { const Inst* inst; Warp& warp; const ValueStep& step; };
struct LaneAnswers { const Inst* inst; const Warp& warp; const LaneQuestion& question; };
struct PathStart { const Inst* from; const Warp& warp; };  // other lanes than before go on
struct FunctionEntry { const Warp& warp; std::size_t local_base, local_bytes; };  // by the active lanes
struct KernelLaunch { const Warp& warp; LaunchMoment& moment; };  // by a kernel, where races are looked for
struct AwaitedResult { const Inst* inst; const Warp& warp; };  // of the read that stands before `inst`
template <> inline constexpr unsigned kFor<ValueFlow> = kChecks | kRecorder;
template <> inline constexpr unsigned kFor<LaneAnswers> = kRecorder;
template <> inline constexpr unsigned kFor<PathStart> = kRecorder;
template <> inline constexpr unsigned kFor<AwaitedResult> = kTrace;
// clang-format on

// ---- telling -----------------------------------------------------------------------------------------
// Of a block; nullptr: not wanted, or not of this block.
struct Instruments {
  BlockChecks* checks = nullptr;
  Recorder* recorder = nullptr;
  AccessTrace* trace = nullptr;
  WarpWatch* watch = nullptr;

  unsigned present() const {
    return (checks ? kChecks : 0u) | (recorder ? kRecorder : 0u) | (trace ? kTrace : 0u);
  }
  template <class Event>
  void tell(const Event& event) const;
};

template <class Event>
[[gnu::always_inline]] inline void tell(const Warp& warp, const Event& event, unsigned who = kFor<Event>) {
  if (warp.heard_by & who) warp.instruments->tell(event);
}

}  // namespace cudalab::vgpu
