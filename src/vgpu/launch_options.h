// How a launch is watched and where it ends. One value travels unchanged from the command line through lab
// and device to the interpreter. LaunchSpec (core/dim3.h) describes what a launch runs.
#pragma once

#include <cstdint>

#include "core/named.h"
#include "core/work_budget.h"

namespace cudalab {

enum class Checks { kNone = 0, kMemory = 1, kRace = 2, kAll = 3 };

// As --check and the result document spell them.
inline constexpr Named<Checks> kCheckNames[]{
    {"all", Checks::kAll}, {"memory", Checks::kMemory}, {"race", Checks::kRace}, {"none", Checks::kNone}};

constexpr Checks checks_of(bool memory, bool races) {
  return static_cast<Checks>((memory ? static_cast<int>(Checks::kMemory) : 0) |
                             (races ? static_cast<int>(Checks::kRace) : 0));
}

// The virtual GPU obeys all but max_seconds; a GPU obeys max_seconds alone.
struct LaunchOptions {
  Checks checks = Checks::kAll;   // bounds and alignment are always checked
  bool predict = true;            // how long the card would take
  bool record = false;            // requests and paths of single warps, for pictures
  bool record_uses = false;       // with `record`: how often each element is accessed
  std::uint64_t most_blocks = 0;  // only the first so many run, and the time of all is predicted; 0: all
  std::uint64_t max_steps = 0;    // warp instructions of the launch; 0: no limit but the next one
  // Warp instructions of a block, or of all blocks where they wait for each other and none ends: a block that
  // takes this many is taken to be endless, however much work the launch is.
  std::uint64_t max_steps_of_a_block = 4'000'000'000;
  double max_seconds = 0;             // of a launch on a GPU, which cannot count steps; 0: 60
  ProcessorBudget* budget = nullptr;  // of the host, for several launches together; null: no end
  Pace* pace = nullptr;               // learns of each cluster of blocks that is done; may be null

  bool checks_memory() const { return (static_cast<int>(checks) & static_cast<int>(Checks::kMemory)) != 0; }
  bool checks_races() const { return (static_cast<int>(checks) & static_cast<int>(Checks::kRace)) != 0; }
};

}  // namespace cudalab
