// A reader's position in a launch: a warp of a block, and a moment of it. Moves forward and back by running
// the warp again and keeping one window of its steps, however many steps it has.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/sources/declared_arrays.h"
#include "device/kernel_launch.h"
#include "session/lane_text.h"
#include "vgpu/warp_trace.h"

namespace cudalab::session {

// The launch, as far as a walk needs it.
struct WalkedLaunch {
  std::string kernel, file;
  LaunchSpec spec;
  std::function<vgpu::WarpTrace(const vgpu::TraceRequest&)> trace;
  std::function<std::vector<Hazard>()> hazards;  // the hazards of the whole launch
  compile::Macros given = {};                    // macros given to the compiler
};

// The lines of a file, as the launch names it, for which the module has code.
std::set<int> lines_with_code(const std::vector<vgpu::ListedInstruction>& listing, const std::string& file);

// Adapts a launch; `view` must outlive the result.
WalkedLaunch walked(device::LaunchView& view);

class Walk {
 public:
  // `window`: the number of steps kept at a time.
  explicit Walk(WalkedLaunch launch, std::uint64_t window = 1u << 14);

  // Throws Error(kUsage) if there is no such warp; the position is then unchanged.
  void go_to(const Dim3& block, std::uint32_t warp);
  void other_warp(int distance);   // of the same block; after the last warp comes the first
  void other_block(int distance);  // of the grid, in x first
  // Runs the warp again to the same step, or to the last moment before it, after the launch has changed.
  void reload();

  // All of these return whether such a moment exists; if not, the position is unchanged.
  bool forward();
  bool back();
  void to_begin();
  void to_end();
  using Wanted = std::function<bool(const Moment&)>;
  bool forward_to(const Wanted& wanted);
  bool back_to(const Wanted& wanted);
  // Stays where it was if no wanted moment follows. `leaves_window`: whether the next step may leave the
  // window.
  bool walk_to(const Wanted& wanted, const std::function<bool()>& step,
               const std::function<bool()>& leaves_window);
  // Goes to the next hazard of this warp; after its last one, to the first hazard of the launch in another
  // warp.
  bool to_hazard();
  // Goes to the first moment, from step `from` of this warp on, that executes one of these lines of the
  // launch's file; if this warp has none, to one of the warps after it, of this block and of later blocks.
  bool to_lines(const std::set<int>& lines, std::uint64_t from = 0);

  const WalkedLaunch& launch() const { return launch_; }
  const vgpu::WarpTrace& trace() const { return trace_; }
  const Moment* moment() const { return moments_.empty() ? nullptr : &moments_[at_]; }
  const vgpu::WarpStep& last_step() const { return trace_.steps[moments_[at_].last]; }
  // Whether the warp ended or was stopped at this moment.
  bool is_at_end() const { return trace_.ended && at_ + 1 >= moments_.size(); }
  // The variables after a step of the trace. Takes least time if the steps are asked for in ascending order.
  std::vector<KnownValue> variables_after(std::size_t step);
  // The contents of the block's shared memory after this moment.
  const std::vector<std::byte>& shared();

 private:
  void load(const vgpu::TraceRequest& wanted);
  bool next_window();
  bool previous_window();
  void grow();
  void settle();
  // To the last moment that begins at the step or before it.
  void go_to_step(std::uint64_t step);
  void return_to(const vgpu::WarpTrace& trace, std::size_t at);

  WalkedLaunch launch_;
  std::uint64_t window_;
  std::uint64_t grown_ = window_;  // steps of the next window that a walk loads
  vgpu::WarpTrace trace_;
  std::uint64_t first_ = 0;  // number of the window's first step
  std::vector<Moment> moments_;
  std::size_t at_ = 0;
  std::optional<std::vector<Hazard>> hazards_;
  std::optional<Variables> variables_;      // of trace_
  std::optional<std::uint64_t> shared_at_;  // the step for which shared_ is valid
  std::vector<std::byte> shared_;
};

}  // namespace cudalab::session
