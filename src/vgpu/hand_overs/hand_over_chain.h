// Computes the time of a launch whose blocks wait for each other: the critical path through their code
// sections and hand-overs, with as many resident blocks as the GPU holds. A hand-over is a value that one
// block publishes and another block waits for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "vgpu/hand_overs/hand_over_trace.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// The parts of the critical path.
struct HandOverPath {
  Waits waits{};          // of warps for their own results; arithmetic: in cycles
  double hand_overs = 0;  // number of hand-overs by a polling load
  double swaps = 0;       // number of hand-overs by a polling atomic
  double retries = 0;     // of a compare-and-swap loop, after another thread has changed the word
  double queue = 0;       // cycles of waiting behind other requests to the same L2 part
  double hops = 0;        // further steps of look-back past values that are not final
  double starts = 0;      // starts of blocks in the slots of ended blocks
  // False if no block can wait.
  bool is_known() const {
    return is_waited() || std::ranges::any_of(waits, [](double times) { return times != 0; });
  }
  bool is_waited() const { return hand_overs + swaps + retries + hops > 0; }  // the path has a wait
};

// All in cycles.
struct HandOverClocks {
  Waits latencies{};  // per wait for each source; 1 for arithmetic
  double hand_over = 0, swap = 0, retry = 0;
  double swap_lane = 0;                 // added for each further lane of a warp that accesses the same word
  double load_hop = 0, atomic_hop = 0;  // from a poll to its result
  double start = 0, dispatch = 0;
  // Time of an L2 part for each polling request, and for each further lane.
  double asked_by_load = 0, asked_by_atomic = 0, asked_by_lane = 0;
  // The same for compare-and-swap loops: for the first lane per word and for each further lane; or for each
  // word of a request, if that is more.
  double tried = 0, tried_by_lane = 0, tried_by_word = 0;
  double tried_anywhere = 0;  // for each lane, in the L2 as a whole
  double served = 0;          // for an atomic on a word, until the next one can start
};

// `of_basic_block`: waits of one execution of each basic block; `of_round`: waits of one more polling round
// of it. `places`: resident blocks on the GPU. `blocks`: of the launch; blocks that the trace did not follow
// are assumed to continue like the last ones that it did.
HandOverPath hand_over_path(const HandOverTrace& trace, std::span<const Waits> of_basic_block,
                            std::span<const Waits> of_round, const HandOverClocks& clocks,
                            std::uint64_t places, double blocks);

}  // namespace cudalab::vgpu
