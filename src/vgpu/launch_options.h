// Options of a launch: what is checked and recorded, and its limits. The same value is passed unchanged from
// the command line through lab and device to the interpreter. LaunchSpec (core/dim3.h) describes what a
// launch runs.
#pragma once

#include <cstdint>

#include "core/named.h"
#include "core/work_budget.h"

namespace cudalab {

struct AccessHistory;  // core/access_history.h

enum class Checks { kNone = 0, kMemory = 1, kRace = 2, kAll = 3 };

// As spelled in --check and in the result document.
inline constexpr Named<Checks> kCheckNames[]{
    {"all", Checks::kAll}, {"memory", Checks::kMemory}, {"race", Checks::kRace}, {"none", Checks::kNone}};

constexpr Checks checks_of(bool memory, bool races) {
  return static_cast<Checks>((memory ? static_cast<int>(Checks::kMemory) : 0) |
                             (races ? static_cast<int>(Checks::kRace) : 0));
}

// The virtual GPU uses all options except max_seconds; a GPU uses max_seconds only.
struct LaunchOptions {
  Checks checks = Checks::kAll;      // bounds and alignment are always checked
  bool predict = true;               // predict the execution time on the GPU
  bool record = false;               // record requests and paths of single warps, for display
  bool record_uses = false;          // with `record`: how often each element is accessed
  AccessHistory* history = nullptr;  // with `record`: receives each access with its value; nullptr: none
  std::uint64_t most_blocks = 0;     // run only the first blocks, and predict the time of all; 0: all
  std::uint64_t max_steps = 0;       // warp instructions of the launch; 0: limited only by the next option
  // Warp instructions of a block; or of all blocks if they wait for each other and none ends. A block that
  // reaches this limit is assumed to be in an infinite loop, however much work the launch has.
  std::uint64_t max_steps_of_a_block = 4'000'000'000;
  double max_seconds = 0;             // of a launch on a GPU, which cannot count steps; 0: 60 seconds
  ProcessorBudget* budget = nullptr;  // host time for several launches together; nullptr: no limit
  Pace* pace = nullptr;               // is notified of each completed cluster; may be nullptr

  bool checks_memory() const { return (static_cast<int>(checks) & static_cast<int>(Checks::kMemory)) != 0; }
  bool checks_races() const { return (static_cast<int>(checks) & static_cast<int>(Checks::kRace)) != 0; }
};

}  // namespace cudalab
