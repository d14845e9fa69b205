// How long a launch takes whose blocks wait for each other: the longest way through their sections and the
// hand-overs from one block to the next, as many blocks at a time as the card holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "vgpu/hand_overs/hand_over_trace.h"
#include "vgpu/timed_code.h"

namespace cudalab::vgpu {

// What lies on the way.
struct HandOverPath {
  Waits waits{};          // of warps for their own results; arithmetic: in clocks
  double hand_overs = 0;  // from a store until a load, asked again and again, brings the value
  double swaps = 0;       // the same until an atomic does
  double retries = 0;     // of a loop around a compare-and-swap, after somebody else has changed the word
  double queue = 0;       // clocks behind others that ask the same part of the L2
  double hops = 0;        // further questions of who looks back past values that are not final
  double starts = 0;      // of blocks in the place of others
  // Else no block may wait.
  bool is_known() const {
    return is_waited() || std::ranges::any_of(waits, [](double times) { return times != 0; });
  }
  bool is_waited() const { return hand_overs + swaps + retries + hops > 0; }  // somewhere on it
};

// Clocks.
struct HandOverClocks {
  Waits latencies{};  // of each source; arithmetic: 1
  double hand_over = 0, swap = 0, retry = 0;
  double swap_lane = 0;                 // more, for each further lane of a warp that wants the same word
  double load_hop = 0, atomic_hop = 0;  // of a question and its answer
  double start = 0, dispatch = 0;
  // Of a part of the L2: for each request of those that ask it again and again, and for each lane more.
  double asked_by_load = 0, asked_by_atomic = 0, asked_by_lane = 0;
  // The same of a loop around a compare-and-swap: for the first lane that wants a word, for each further one;
  // for each word of a request, if that is more.
  double tried = 0, tried_by_lane = 0, tried_by_word = 0;
  double tried_anywhere = 0;  // for each lane, of the L2 as a whole
  double served = 0;          // an atomic on a word, until the next one
};

// `of_basic_block`: what one execution of each adds to a warp's time; `of_round`: what a further one adds of
// those that ask for others' words again and again. `places`: blocks that the card holds at once. `blocks`:
// of the launch; those that the trace did not follow are taken to go on as the last ones that it did.
HandOverPath hand_over_path(const HandOverTrace& trace, std::span<const Waits> of_basic_block,
                            std::span<const Waits> of_round, const HandOverClocks& clocks,
                            std::uint64_t places, double blocks);

}  // namespace cudalab::vgpu
