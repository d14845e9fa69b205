#include <algorithm>
#include <bit>

#include "messages/vgpu.h"
#include "vgpu/checks/observer.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

bool waits_at(const Path& path, int barrier) {
  return path.wait == Wait::kBarrier && path.barrier == barrier;
}

std::uint32_t threads_of(const Block& block) {
  return static_cast<std::uint32_t>(block.launch->request->spec.block.volume());
}

// ---- ordering by a barrier ---------------------------------------------------------------------------

// If all running threads of the block wait here, the barrier orders everything. A thread that executed
// bar.arrive and ended does not count as waiting: its accesses after bar.arrive remain unordered.
void show_opening(Block& block, int barrier, std::uint32_t expected) {
  const auto here = [&](const Path& path) { return waits_at(path, barrier); };
  std::uint32_t waiting = 0;
  for (const Warp& warp : block.warps)
    for (const Path& path : warp.parked) waiting += here(path) ? std::popcount(path.mask) : 0;
  const bool all_wait = expected == 0 || waiting == threads_of(block);
  if (all_wait) {
    block.observer->everybody_passed();
  } else {
    for (const Warp& warp : block.warps)
      if (std::any_of(warp.parked.begin(), warp.parked.end(), here)) block.observer->pass(warp, barrier);
  }
  block.observer->open(barrier);
}

// ---- missing threads ---------------------------------------------------------------------------------
struct Waiting {
  const Inst* inst = nullptr;  // the barrier
  const Warp* warp = nullptr;
  int lane = 0;
};

// The first thread that waits at the barrier, and the first one that waits at another instruction of the same
// barrier.
struct Comers {
  Waiting first, elsewhere;
  bool part_a_warp = false;  // some warp has lanes at both instructions
};

Comers comers_of(const Block& block, int barrier) {
  Comers comers;
  for (const Warp& warp : block.warps)
    for (const Path& path : warp.parked) {
      if (!waits_at(path, barrier)) continue;
      const Waiting one{path.pc - 1, &warp, std::countr_zero(path.mask)};
      if (!comers.first.inst) {
        comers.first = one;
      } else if (one.inst != comers.first.inst) {
        if (!comers.elsewhere.inst) comers.elsewhere = one;
        comers.part_a_warp |= one.warp == comers.first.warp;
      }
    }
  return comers;
}

Hazard hazard_of(const Waiting& who) {
  return hazard_at(who.inst, *who.warp, who.lane, HazardKind::kBarrierDivergence);
}

// Reports a warp whose lanes reach a barrier at two different instructions. Only .aligned barriers forbid
// this.
void report_parted_warp(Block& block, const Comers& comers) {
  if (!(comers.first.inst->imm & 1)) return;
  Hazard hazard = hazard_of(comers.first);
  hazard.other = line_of(*comers.elsewhere.warp, comers.elsewhere.inst);
  hazard.what = msg::barrier_split_warp(ThreadIndex{thread_of(*comers.elsewhere.warp, comers.elsewhere.lane)},
                                        line_argument(*hazard.other, hazard.where));
  hazard.fix = msg::advice_one_barrier();
  report_hazard(block, std::move(hazard));
}

struct Absent {
  std::uint32_t threads = 0;
  Dim3 first{0, 0, 0};
  const Warp* warp = nullptr;
  const Inst* left_by = nullptr;  // the branch that led them away from the barrier
};

std::vector<Absent> absent_of(const Block& block) {
  std::vector<Absent> absent;
  std::uint32_t threads = threads_of(block);
  for (const Warp& warp : block.warps) {
    const std::uint32_t count = std::min(threads, std::uint32_t{kWarpSize});
    threads -= count;
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      if (warp.live >> lane & 1) continue;
      const Inst* left_by = warp.left_by[lane];
      auto group = std::find_if(absent.begin(), absent.end(),
                                [&](const Absent& one) { return one.left_by == left_by; });
      if (group == absent.end())
        group = absent.insert(group, {0, thread_of(warp, static_cast<int>(lane)), &warp, left_by});
      ++group->threads;
    }
  }
  return absent;
}

void report_one_behind(Block& block, const Absent& absent) {
  Hazard hazard = hazard_of({block.parted.inst, block.parted.warp, block.parted.lane});
  hazard.other = line_of(*absent.warp, block.parted.elsewhere);
  hazard.what = msg::barrier_one_behind(line_argument(*hazard.other, hazard.where));
  hazard.fix = msg::advice_barrier_out_of_branch();
  report_hazard(block, std::move(hazard));
}

void report_gone_around(Block& block, const Waiting& waiting, const Absent& absent) {
  Hazard hazard = hazard_of(waiting);
  hazard.other = line_of(*absent.warp, absent.left_by);
  hazard.what = msg::barrier_gone_around(absent.threads, threads_of(block), ThreadIndex{absent.first},
                                         line_argument(*hazard.other, hazard.where));
  hazard.fix = msg::advice_barrier_all_reach();
  report_hazard(block, std::move(hazard));
}

// The barrier does not wait for threads that have ended. If some threads executed an extra barrier in a
// branch, the other threads seem to be missing here, and the extra barrier is reported. If it is unknown how
// threads left (by a guarded exit), nothing is reported.
void report_absent(Block& block, const Waiting& waiting) {
  for (const Absent& absent : absent_of(block)) {
    if (absent.left_by)
      report_gone_around(block, waiting, absent);
    else if (block.parted.inst)
      report_one_behind(block, absent);
  }
}

// Assumes that the barrier which comes first in the code is the one in a branch.
PartedBarrier parted_of(const Comers& comers) {
  const bool in_order = comers.first.inst < comers.elsewhere.inst;
  const Waiting &early = in_order ? comers.first : comers.elsewhere,
                &late = in_order ? comers.elsewhere : comers.first;
  return {early.inst, early.warp, early.lane, late.inst};
}

void look_who_came(Block& block, int barrier, const Barrier& opening) {
  const Comers comers = comers_of(block, barrier);
  if (!comers.first.inst) return;
  if (comers.part_a_warp) report_parted_warp(block, comers);
  if (opening.expected != 0) return;
  if (comers.elsewhere.inst && !block.parted.inst) block.parted = parted_of(comers);
  if (block.live_threads < threads_of(block)) report_absent(block, comers.first);
}

void open(Block& block, int id) {
  Barrier& barrier = block.barriers[id];
  const Barrier opening = barrier;
  barrier = {};
  barrier.last_count = opening.count;
  barrier.last_all = opening.all;
  barrier.last_any = opening.any;
  look_who_came(block, id, opening);
  if (block.observer) show_opening(block, id, opening.expected);
  for (Warp& warp : block.warps)
    for (Path& path : warp.parked)
      if (waits_at(path, id)) path.wait = Wait::kNone;
}

}  // namespace

void open_barriers(Block& block) {
  for (int id = 0; id < kBarriersPerBlock; ++id) {
    const Barrier& barrier = block.barriers[id];
    if (barrier.arrived == 0) continue;
    if (barrier.arrived >= (barrier.expected ? barrier.expected : block.live_threads)) open(block, id);
  }
}

bool open_if_complete(Block& block, int id) {
  const Barrier& barrier = block.barriers[id];
  if (barrier.expected == 0 || barrier.arrived < barrier.expected) return false;
  open(block, id);
  return true;
}

}  // namespace cudalab::vgpu
