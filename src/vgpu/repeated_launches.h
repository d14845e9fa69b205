// Launches that a program repeats with equal arguments and equal memory, as in a loop that measures a time. A
// launch is deterministic, so its outcome is known from the time before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "vgpu/memory/memory.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// An outcome is kept with digests of all memory before and after the launch, and with the contents that the
// launch changed. Digests take time, too. They are made from the second launch of a kernel with the same
// arguments on, if the launch takes long enough, and more and more seldom if memory always differs.
class RepeatedLaunches {
 public:
  explicit RepeatedLaunches(GlobalMemory& memory) : memory_(&memory) {}

  // The outcome of the launch if it is known; memory then has the contents that the launch leaves.
  // `is_repeatable`: the outcome depends on the request and on memory alone. Else call finish() after the
  // launch.
  std::optional<LaunchResult> begin(const Program& program, const LaunchRequest& request, bool is_repeatable);
  void finish(const LaunchRequest& request, const LaunchResult& result, double seconds);

 private:
  struct Contents {
    std::uint64_t base = 0;
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> written;  // empty: all bytes are
  };
  // Of all allocations, by base.
  using Digests = std::map<std::uint64_t, std::string>;
  struct Known {
    double seconds = 0;
    // Launches for which memory is not compared: those still to come, and those after the last difference.
    std::uint64_t to_skip = 0, last_skip = 0;
    Digests before;
    std::vector<Contents> changes;
    std::optional<LaunchResult> result;
    std::vector<TouchedSpan> touched;
  };
  // A digest that holds until the allocation has another version, or a kernel runs.
  struct Digested {
    std::uint64_t version = 0, kernels = 0;
    std::string digest;
  };
  std::optional<LaunchResult> outcome_of(const Program& program, const LaunchRequest& request,
                                         bool is_repeatable);
  Digests digests();
  bool is_up_to_date(const Allocation& allocation) const;
  bool is_worth_while(Known& known) const;
  void note_difference(Known& known);
  void keep_changes(Known& known, const Digests& after);
  void restore(const Contents& contents);

  GlobalMemory* memory_;
  std::map<std::string, Known> known_;          // by a digest of kernel and request
  std::map<std::uint64_t, Digested> digested_;  // by number of the allocation
  std::uint64_t kernels_ = 0;                   // that were executed, or begun
  std::size_t kept_bytes_ = 0;
  Known* running_ = nullptr;
  std::optional<Digests> before_;  // of the running launch, if digests are worth while
};

}  // namespace cudalab::vgpu
