// Where a launch stops: breakpoints, hazards and steps.
#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "session/launch_debugger.h"
#include "vgpu/warp_shape.h"

namespace cudalab::session {
namespace {

// Polls for a pause request after this many steps of the warp. Lines are no measure: a loop in one line is
// one line for 65,536 steps.
class Poll {
 public:
  explicit Poll(const LaunchDebugger::Interrupted& is_interrupted) : is_interrupted_(is_interrupted) {}
  bool is_interrupted_at(const Moment& moment) {
    steps_ += moment.last - moment.first + 1;
    if (steps_ < kStepsPerPoll) return false;
    steps_ = 0;
    return is_interrupted_();
  }

 private:
  static constexpr std::size_t kStepsPerPoll = 512;
  const LaunchDebugger::Interrupted& is_interrupted_;
  std::size_t steps_ = 0;
};

}  // namespace

bool LaunchDebugger::holds_somewhere(const std::string& condition, std::uint32_t active) {
  for (std::uint32_t lane = 0; lane < vgpu::kWarpSize; ++lane) {
    if (!(active >> lane & 1)) continue;
    try {
      if (evaluate(condition, lane) == 0) continue;
    } catch (const Error&) {
      continue;  // the lane has no such variable yet
    }
    lane_ = lane;
    return true;
  }
  return false;
}

std::string LaunchDebugger::filled(const std::string& log) {
  std::string text;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t begin = std::min(log.find('{', at), log.size());
    const std::size_t end = log.find('}', begin);
    text += log.substr(at, begin - at);
    if (begin == log.size() || end == std::string::npos) return text + log.substr(begin);
    const std::string expression = log.substr(begin + 1, end - begin - 1);
    try {
      text += number_text(evaluate(expression, lane_));
    } catch (const Error& error) {
      text += wording_.say(error.message());
    }
    at = end + 1;
  }
  return text;
}

bool LaunchDebugger::fires(Trigger& trigger, std::uint32_t lanes) {
  return (trigger.condition.empty() || holds_somewhere(trigger.condition, lanes)) && hit(trigger);
}

// Code of a header that is inlined belongs to a moment of the line that calls it.
bool LaunchDebugger::is_at(const Moment& moment, const LineBreakpoint& breakpoint) {
  const SourceLine wanted{breakpoint.file, breakpoint.line};
  if (moment.where == wanted || breakpoint.file == launch_.file) return moment.where == wanted;
  const vgpu::WarpTrace& trace = walk().trace();
  for (std::size_t i = moment.first; i <= moment.last; ++i)
    if (trace.instruction_of(trace.steps[i]).where == wanted) return true;
  return false;
}

bool LaunchDebugger::stops_at_line(const Moment& moment, LineBreakpoint& breakpoint, const Print& print) {
  if (!is_at(moment, breakpoint)) return false;
  arrived(Stop::kBreakpoint);
  if (!fires(breakpoint, moment.active)) return false;
  if (breakpoint.log.empty()) return true;
  print(filled(breakpoint.log) + "\n");
  return false;
}

bool LaunchDebugger::stops_at_data(const Moment& moment, DataBreakpoint& breakpoint) {
  const vgpu::WarpTrace& trace = walk().trace();
  std::uint32_t touching = 0;
  for (std::size_t i = moment.first; i <= moment.last; ++i)
    for (std::uint32_t k = 0; k < trace.steps[i].accesses; ++k)
      touching |= lanes_touching(breakpoint, trace.accesses[trace.steps[i].first_access + k]);
  if (!touching) return false;
  arrived(Stop::kData);
  lane_ = static_cast<std::uint32_t>(std::countr_zero(touching));
  return fires(breakpoint, touching);
}

bool LaunchDebugger::begins_function(const Moment& moment) {
  const vgpu::WarpTrace& trace = walk().trace();
  const vgpu::WarpStep& step = trace.steps[moment.first];
  return step.number == 0 || (moment.first > 0 && trace.steps[moment.first - 1].call < step.call);
}

bool LaunchDebugger::stops_at_function(const Moment& moment, Breakpoints& breakpoints, Stop& stop) {
  if (breakpoints.functions.empty() || !begins_function(moment)) return false;
  const vgpu::WarpTrace& trace = walk().trace();
  const std::string name = function_name(trace.instruction_of(trace.steps[moment.first]).function);
  for (FunctionBreakpoint& each : breakpoints.functions) {
    if (each.function != name) continue;
    arrived(Stop::kFunction);
    if (fires(each, moment.active)) return stop = {Stop::kFunction, each.id}, true;
  }
  return false;
}

bool LaunchDebugger::hazard_of(const Moment& moment, const Breakpoints& breakpoints, Stop& stop) {
  const vgpu::WarpTrace& trace = walk().trace();
  for (std::size_t i = moment.first; moment.has_hazard && i <= moment.last; ++i)
    for (std::uint32_t k = 0; k < trace.steps[i].hazards; ++k) {
      const vgpu::TracedHazard& hazard = trace.hazards[trace.steps[i].first_hazard + k];
      if (!breakpoints.hazards.contains(hazard.kind)) continue;
      told_.emplace(moment.where.file, moment.where.line, hazard.kind);
      stop = {.reason = Stop::kHazard, .what = hazard.what, .remedy = hazard.fix, .hazard = hazard.kind};
      return true;
    }
  return false;
}

bool LaunchDebugger::stops_at(const Moment& moment, Breakpoints& breakpoints, const Print& print,
                              Stop& stop) {
  forget_position();
  if (hazard_of(moment, breakpoints, stop)) return true;
  for (DataBreakpoint& each : breakpoints.data)
    if (stops_at_data(moment, each)) return stop = {Stop::kData, each.id}, true;
  for (LineBreakpoint& each : breakpoints.lines)
    if (stops_at_line(moment, each, print)) return stop = {Stop::kBreakpoint, each.id}, true;
  return stops_at_function(moment, breakpoints, stop);
}

std::optional<Stop> LaunchDebugger::go_on_in_this_warp(Breakpoints& breakpoints,
                                                       const Interrupted& is_interrupted,
                                                       const Print& print) {
  Stop stop;
  Poll poll(is_interrupted);
  const bool found = walk().forward_to([&](const Moment& moment) {
    if (poll.is_interrupted_at(moment)) return stop.reason = Stop::kPaused, true;
    return stops_at(moment, breakpoints, print, stop);
  });
  if (!found) return std::nullopt;
  const std::uint32_t lane = lane_;
  arrived(stop.reason);
  if (stop.breakpoint) lane_ = lane;
  return stop;
}

// Continues in the other warps of the block, then in the warps of the following blocks, except those at their
// end.
std::optional<Stop> LaunchDebugger::go_on_in_others(Breakpoints& breakpoints,
                                                    const Interrupted& is_interrupted, const Print& print) {
  const std::uint64_t blocks = launch_.spec.grid.volume();
  const std::uint32_t start = warp_;
  for (std::uint64_t block = linear_index(launch_.spec.grid, block_); block < blocks; ++block)
    for (std::uint32_t i = 0; i < warps(); ++i) {
      if (is_interrupted()) return Stop{.reason = Stop::kPaused};
      focus(position_in(launch_.spec.grid, block), (start + i) % warps());
      Position& here = current();
      if (here.is_exhausted) continue;
      Stop stop;
      const bool is_new = moment() && moment()->first == 0 && walk().trace().steps[0].number == 0;
      if (is_new && stops_at(*moment(), breakpoints, print, stop)) return stop;
      if (const auto found = go_on_in_this_warp(breakpoints, is_interrupted, print)) return found;
      here.is_exhausted = true;
    }
  return std::nullopt;
}

std::optional<Stop> LaunchDebugger::go_to_launch_hazard(const Breakpoints& breakpoints) {
  if (!hazards_) hazards_ = launch_.hazards();
  for (const Hazard& hazard : *hazards_) {
    if (!breakpoints.hazards.contains(hazard.kind) ||
        !told_.emplace(hazard.where.file, hazard.where.line, hazard.kind).second)
      continue;
    focus(hazard.block, vgpu::warp_of(launch_.spec.block, hazard.thread));
    const auto is_there = [&](const Moment& moment) {
      return moment.has_hazard || moment.where == hazard.where;
    };
    if (moment() && !is_there(*moment())) walk().forward_to(is_there);
    lane_ = static_cast<std::uint32_t>(linear_index(launch_.spec.block, hazard.thread) % vgpu::kWarpSize);
    arrived(Stop::kHazard);
    return Stop{.reason = Stop::kHazard, .what = hazard.what, .remedy = hazard.fix, .hazard = hazard.kind};
  }
  return std::nullopt;
}

Stop LaunchDebugger::proceed(Breakpoints& breakpoints, const Interrupted& is_interrupted,
                             const Print& print) {
  const Dim3 block = block_;
  const std::uint32_t warp = warp_;
  if (const auto stop = go_on_in_this_warp(breakpoints, is_interrupted, print)) return *stop;
  current().is_exhausted = true;
  const bool may_stop_elsewhere =
      !breakpoints.lines.empty() || !breakpoints.functions.empty() || !breakpoints.data.empty();
  if (may_stop_elsewhere)
    if (const auto stop = go_on_in_others(breakpoints, is_interrupted, print)) return *stop;
  if (!breakpoints.hazards.empty())
    if (const auto stop = go_to_launch_hazard(breakpoints)) return *stop;
  focus(block, warp);
  walk().to_end();
  return arrived(Stop::kEnd);
}

Stop LaunchDebugger::reverse(Breakpoints& breakpoints, const Interrupted& is_interrupted,
                             const Print& print) {
  current().is_exhausted = false;
  Stop stop;
  const bool found = walk().back_to([&](const Moment& moment) {
    if (is_interrupted()) return stop.reason = Stop::kPaused, true;
    return stops_at(moment, breakpoints, print, stop);
  });
  if (!found) walk().to_begin();
  arrived(stop.reason);
  return found ? stop : Stop{.reason = Stop::kBegin};
}

std::uint32_t LaunchDebugger::call_here() {
  return moment() ? walk().trace().steps[moment()->first].call : 0;
}

bool LaunchDebugger::is_of_step(const Moment& moment) const {
  return step_scope_ != StepScope::kLane || (moment.active >> lane_ & 1);
}

void LaunchDebugger::step_others(const std::function<void()>& step) {
  if (step_scope_ != StepScope::kBlock) return;
  const std::uint32_t focus = warp_;
  for (warp_ = 0; warp_ < warps(); ++warp_)
    if (warp_ != focus) step();
  warp_ = focus;
}

Stop LaunchDebugger::step_to_call_below(std::uint32_t call, Breakpoints& breakpoints,
                                        const Interrupted& is_interrupted) {
  Stop stop;
  Poll poll(is_interrupted);
  const auto print_nothing = [](const std::string&) {};
  const auto is_next = [&](const Moment& moment) {
    return walk().trace().steps[moment.first].call < call && is_of_step(moment);
  };
  step_others([&] {
    const auto is_over = [&](const Moment& moment) {
      return poll.is_interrupted_at(moment) || is_next(moment);
    };
    if (!walk().forward_to(is_over)) walk().to_end();
  });
  const bool found = walk().forward_to([&](const Moment& moment) {
    if (poll.is_interrupted_at(moment)) return stop.reason = Stop::kPaused, true;
    return stops_at(moment, breakpoints, print_nothing, stop) || is_next(moment);
  });
  if (!found) walk().to_end();
  arrived(stop.reason);
  return found ? stop : Stop{.reason = Stop::kEnd};
}

Stop LaunchDebugger::step_over(Breakpoints& breakpoints, const Interrupted& is_interrupted) {
  return step_to_call_below(call_here() + 1, breakpoints, is_interrupted);
}

Stop LaunchDebugger::step_out(Breakpoints& breakpoints, const Interrupted& is_interrupted) {
  return step_to_call_below(call_here(), breakpoints, is_interrupted);
}

Stop LaunchDebugger::step_in() {
  step_others([&] { walk().forward(); });
  const bool found = walk().forward_to([&](const Moment& moment) { return is_of_step(moment); });
  return arrived(found ? Stop::kStep : Stop::kEnd);
}

Stop LaunchDebugger::step_back() {
  current().is_exhausted = false;
  step_others([&] {
    current().is_exhausted = false;
    walk().back();
  });
  const bool found = walk().back_to([&](const Moment& moment) { return is_of_step(moment); });
  return arrived(found ? Stop::kStep : Stop::kBegin);
}

}  // namespace cudalab::session
