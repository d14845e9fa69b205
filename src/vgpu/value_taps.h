// Records the values that chosen instructions of a launch produce, and gives them to another launch in place
// of its own. data_flow.h uses this to find out which inputs reach the outputs through these instructions
// alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The instruction `tap.TYPE d, d, NUMBER;` stands behind the instruction that produces d (ptx/silence.h). A
// launch without ValueTaps ignores it. Not thread-safe: the launch runs on one host thread.
class ValueTaps {
 public:
  // Numbers of taps are multiples of this for each statement, plus the index of its result.
  static constexpr std::uint32_t kTapsOfAStatement = 16;
  // The tap in front of an exchange that gives the lane's own value to it.
  static constexpr std::uint32_t kOwnValue = kTapsOfAStatement - 1;

  // The next launch records its values.
  void record();
  // The next launch gets the recorded values at the taps of these statements, and keeps its own elsewhere.
  void replay(std::vector<bool> statements);
  // Whether more values passed than are kept: what follows from the recording is then meaningless.
  bool is_overfull() const { return is_overfull_; }
  // Whether each lane got its own value from this exchange whenever values were recorded.
  bool yields_own_values(std::size_t statement) const;

  // A value of one lane passes a tap. Returns the value that the lane shall have.
  std::uint64_t pass(std::uint32_t tap, const Warp& warp, int lane, std::uint64_t value);

 private:
  static constexpr std::size_t kMostValues = std::size_t{1} << 23;

  struct Passed {
    std::array<std::vector<std::uint64_t>, kWarpSize> values;  // by lane, in the order of execution
    std::array<std::uint32_t, kWarpSize> next{};               // by lane, of a replay
  };
  using Place = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;  // tap, block, warp

  Passed& at(std::uint32_t tap, const Warp& warp);
  void compare_with_own(std::uint32_t tap, const Warp& warp, std::size_t lane, std::uint64_t value);

  std::map<Place, Passed> passed_;
  Place last_place_{};
  Passed* last_ = nullptr;
  std::vector<bool> replayed_;
  std::map<std::size_t, bool> has_exchanged_;  // by statement with a tap for own values
  std::size_t kept_ = 0;
  bool is_recording_ = false, is_overfull_ = false;
};

// The handler of a tap. d: the value; imm: the number of the tap times kTapSizes plus the bytes per lane, 0
// for a predicate; b: if present, the address that was loaded, which must be in shared memory.
inline constexpr std::uint64_t kTapSizes = 16;
const Inst* tap_value(const Inst* inst, Warp& warp);

}  // namespace cudalab::vgpu
