// Moves through a recorded launch line by line, and evaluates variables and expressions before a line.
#include "cli/debug/launch_debugger.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "cli/debug/lane_expression.h"
#include "core/error.h"
#include "core/text.h"
#include "device/kernel_launch.h"
#include "messages/cli.h"
#include "report/text/values.h"
#include "vgpu/memory/memory.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

// Steps that are kept per warp. A step takes about 1 KB in a trace, and a block has up to 32 warps.
constexpr std::uint64_t kWindow = 1u << 12;
constexpr std::uint32_t kAskEvery = 64;  // lines between two checks for a pause request

std::optional<double> as_number(const LaneVariable* variable) {
  if (!variable || !variable->parts.empty()) return std::nullopt;
  return std::strtod(variable->value.c_str(), nullptr);
}

// The lanes whose access touches the bytes of a data breakpoint in the way that it stops at.
std::uint32_t lanes_touching(const DataBreakpoint& breakpoint, const vgpu::TracedAccess& access) {
  const bool reads = access.kind != AccessKind::kStore, writes = access.kind != AccessKind::kLoad;
  if (!(reads && breakpoint.on_read) && !(writes && breakpoint.on_write)) return 0;
  if (access.space != MemorySpace::kShared && access.space != MemorySpace::kGlobal) return 0;
  const std::uint64_t window = access.space == MemorySpace::kShared ? vgpu::kSharedWindow : 0;
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < vgpu::kWarpSize; ++lane) {
    const std::uint64_t begin = window + access.address[lane];
    const bool overlaps =
        begin < breakpoint.address + breakpoint.bytes && breakpoint.address < begin + access.bytes;
    if (overlaps) lanes |= 1u << lane;
  }
  return lanes & access.lanes;
}

// Template symbols look like "float twice<float, 2>"; the function's name is "twice".
std::string function_name(const std::string& symbol) {
  const std::string name = device::without_template_arguments(device::source_name(symbol));
  return name.substr(name.rfind(' ') + 1);
}

}  // namespace

LaunchDebugger::LaunchDebugger(report::WalkedLaunch launch, std::string source, Wording wording)
    : launch_(std::move(launch)),
      source_(std::move(source)),
      wording_(std::move(wording)),
      changes_(std::make_shared<std::vector<vgpu::TraceChange>>()) {
  launch_.trace = [trace = std::move(launch_.trace), changes = changes_](vgpu::TraceRequest wanted) {
    wanted.changes = *changes;
    return trace(wanted);
  };
  focus({0, 0, 0}, 0);
}

// ---- focus -----------------------------------------------------------------------------------------------

LaunchDebugger::Position& LaunchDebugger::position(const Dim3& block, std::uint32_t warp) {
  const std::pair key{linear_index(launch_.spec.grid, block), warp};
  if (const auto known = positions_.find(key); known != positions_.end()) return known->second;
  Position fresh{report::Walk(launch_, kWindow)};
  fresh.walk.go_to(block, warp);
  return positions_.emplace(key, std::move(fresh)).first->second;
}

LaunchDebugger::Position& LaunchDebugger::current() { return position(block_, warp_); }

void LaunchDebugger::focus(const Dim3& block, std::uint32_t warp) {
  position(block, warp);
  // The windows of 32 warps take over 100 MB, so the windows of other blocks are dropped.
  const std::uint64_t number = linear_index(launch_.spec.grid, block);
  std::erase_if(positions_, [&](const auto& each) { return each.first.first != number; });
  block_ = block;
  warp_ = warp;
  arrived(Stop::kStep);
}

bool LaunchDebugger::has_lane(std::uint32_t lane) const {
  return std::uint64_t{warp_} * vgpu::kWarpSize + lane < launch_.spec.block.volume();
}

void LaunchDebugger::focus_lane(std::uint32_t lane) {
  if (lane >= vgpu::kWarpSize || !has_lane(lane)) throw usage_error(msg::debug_lane_unknown(lane));
  lane_ = lane;
}

void LaunchDebugger::focus_thread(const Dim3& block, const Dim3& thread) {
  const Dim3& shape = launch_.spec.block;
  if (thread.x >= shape.x || thread.y >= shape.y || thread.z >= shape.z)
    throw usage_error(msg::debug_thread_unknown(coordinates(thread), coordinates(shape)));
  const std::uint64_t number = linear_index(shape, thread);
  focus(block, static_cast<std::uint32_t>(number / vgpu::kWarpSize));
  lane_ = static_cast<std::uint32_t>(number % vgpu::kWarpSize);
}

std::uint32_t LaunchDebugger::warps() const {
  return static_cast<std::uint32_t>(vgpu::warps_of(launch_.spec.block));
}

Dim3 LaunchDebugger::thread_of(std::uint32_t lane) const {
  return position_in(launch_.spec.block, std::uint64_t{warp_} * vgpu::kWarpSize + lane);
}

std::vector<std::size_t> LaunchDebugger::frames() {
  if (!moment()) return {};
  const std::vector<vgpu::WarpStep>& steps = walk().trace().steps;
  std::vector<std::size_t> found{moment()->first};
  for (std::size_t i = moment()->first; i-- > 0;)
    if (steps[i].call < steps[found.back()].call) found.push_back(i);
  return found;
}

std::vector<LaunchDebugger::Frame> LaunchDebugger::call_stack() {
  std::vector<Frame> stack;
  for (const std::size_t step : frames()) {
    const vgpu::TracedInstruction& instruction = walk().trace().instruction_of(walk().trace().steps[step]);
    const auto listed = std::ranges::find_if(listing(), [&](const vgpu::ListedInstruction& each) {
      return each.code.function == instruction.function && each.code.statement == instruction.statement;
    });
    stack.push_back({device::source_name(instruction.function), report::line_in(instruction, launch_.file),
                     static_cast<std::uint64_t>(listed - listing().begin())});
  }
  return stack;
}

void LaunchDebugger::forget_position() {
  before_.reset();
  known_.reset();
}

// The lane in focus is kept while it is active.
Stop LaunchDebugger::arrived(Stop::Reason reason) {
  forget_position();
  const std::uint32_t active = moment() ? moment()->active : 1;
  if (!(active >> lane_ & 1)) lane_ = static_cast<std::uint32_t>(std::countr_zero(active));
  return {.reason = reason};
}

// ---- values before a line --------------------------------------------------------------------------------

const vgpu::WarpTrace& LaunchDebugger::before() {
  static const vgpu::WarpTrace nothing;
  if (!moment()) return nothing;
  const std::uint64_t step = walk().trace().steps[moment()->first].number;
  if (before_ && before_step_ == step) return *before_;
  const bool is_first = step == 0;
  vgpu::TraceRequest wanted{.block = block_, .warp = warp_, .first = is_first ? 0 : step - 1};
  wanted.most = is_first ? 1 : 2;
  wanted.view_at = step;
  before_ = launch_.trace(wanted);
  before_step_ = step;
  return *before_;
}

const vgpu::WarpView& LaunchDebugger::view() {
  static const vgpu::WarpView nothing;
  const vgpu::WarpTrace& trace = before();
  return trace.view ? *trace.view : nothing;
}

const std::vector<vgpu::ListedInstruction>& LaunchDebugger::listing() {
  if (!listing_.empty()) return listing_;
  vgpu::TraceRequest wanted{.block = block_, .warp = warp_, .most = 1};
  wanted.lists_module = true;
  return listing_ = launch_.trace(wanted).listing;
}

std::vector<report::KnownValue> LaunchDebugger::known_in(std::size_t depth) {
  const std::vector<std::size_t> calls = depth > 0 ? frames() : std::vector<std::size_t>{};
  if (depth < calls.size()) return report::Variables(walk().trace()).at(calls[depth]);
  return known_here();
}

const std::vector<report::KnownValue>& LaunchDebugger::known_here() {
  if (known_) return *known_;
  const std::size_t first = moment() ? moment()->first : 0;
  known_.emplace();
  if (first > 0)
    known_ = report::Variables(walk().trace()).at(first - 1);
  else if (before().steps.size() > 1)
    known_ = report::Variables(before()).at(0);
  return *known_;
}

std::vector<LaneVariable> LaunchDebugger::in_lane(const std::vector<report::KnownValue>& values,
                                                  std::uint32_t lane, bool is_here) const {
  std::vector<LaneVariable> variables;
  for (const report::KnownValue& each : values) {
    const bool has_value = each.lanes >> lane & 1;
    LaneVariable value{each.name, each.type, wording_.say(msg::debug_not_assigned()), {}};
    if (has_value) value.value = report::value_text(each.value_type, each.bytes, (*each.bits)[lane]);
    if (has_value && is_here)
      value.place = {.kind = ValuePlace::kLocal,
                     .name = each.name,
                     .lane = lane,
                     .type = each.value_type,
                     .bytes = each.bytes};
    if (has_value && each.type.ends_with('*')) value.memory = (*each.bits)[lane];
    insert_part(variables, each.name, value);
  }
  return variables;
}

std::vector<LaneVariable> LaunchDebugger::locals(std::uint32_t lane, std::size_t depth) {
  return in_lane(known_in(depth), lane, depth == 0);
}

std::vector<LaneVariable> LaunchDebugger::registers(std::uint32_t lane) {
  if (!moment() || moment()->first == 0) return {};
  return in_lane(report::registers_at(walk().trace(), moment()->first - 1, launch_.file), lane, false);
}

std::vector<LaneVariable> LaunchDebugger::builtins(std::uint32_t lane) {
  const auto triple = [](const char* name, const Dim3& at) {
    const auto part = [](const char* axis, std::uint32_t value) {
      return LaneVariable{axis, "unsigned int", std::to_string(value), {}};
    };
    return LaneVariable{
        name, "dim3", coordinates(at), {part(".x", at.x), part(".y", at.y), part(".z", at.z)}};
  };
  return {triple("threadIdx", thread_of(lane)),
          triple("blockIdx", block_),
          triple("blockDim", launch_.spec.block),
          triple("gridDim", launch_.spec.grid),
          {"warpSize", "int", std::to_string(vgpu::kWarpSize), {}}};
}

// ---- expressions ---------------------------------------------------------------------------------------

std::optional<double> LaunchDebugger::number_called(const std::string& name, std::uint32_t lane) {
  for (const report::KnownValue& each : known_here())
    if (each.name == name && (each.lanes >> lane & 1))
      return number_of(each.value_type, each.bytes, (*each.bits)[lane]);
  if (const auto builtin = as_number(found_in(builtins(lane), name))) return builtin;
  if (const auto shared = shared_number(name)) return shared;
  return number_at(element_called(name, lane));
}

double LaunchDebugger::evaluate(const std::string& expression, std::uint32_t lane) {
  return evaluate_in_lane(expression, [&](const std::string& name) { return number_called(name, lane); });
}

std::optional<LaneVariable> LaunchDebugger::variable(const std::string& name, std::uint32_t lane) {
  for (const std::vector<LaneVariable>& scope :
       {locals(lane), builtins(lane), shared_arrays(), registers(lane)})
    if (const LaneVariable* found = found_in(scope, name)) return *found;
  return std::nullopt;
}

// ---- where to stop -------------------------------------------------------------------------------------

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
      text += report::significant(evaluate(expression, lane_), 9);
    } catch (const Error& error) {
      text += wording_.say(error.message());
    }
    at = end + 1;
  }
  return text;
}

bool LaunchDebugger::stops_at_line(const report::Moment& moment, LineBreakpoint& breakpoint,
                                   const Print& print) {
  if (breakpoint.line != moment.where.line || moment.where.file != launch_.file) return false;
  arrived(Stop::kBreakpoint);
  if (!breakpoint.condition.empty() && !holds_somewhere(breakpoint.condition, moment.active)) return false;
  if (++breakpoint.hits < breakpoint.wanted_hits) return false;
  if (breakpoint.log.empty()) return true;
  print(filled(breakpoint.log) + "\n");
  return false;
}

bool LaunchDebugger::stops_at_data(const report::Moment& moment, DataBreakpoint& breakpoint) {
  const vgpu::WarpTrace& trace = walk().trace();
  std::uint32_t touching = 0;
  for (std::size_t i = moment.first; i <= moment.last; ++i)
    for (std::uint32_t k = 0; k < trace.steps[i].accesses; ++k)
      touching |= lanes_touching(breakpoint, trace.accesses[trace.steps[i].first_access + k]);
  if (!touching) return false;
  arrived(Stop::kData);
  lane_ = static_cast<std::uint32_t>(std::countr_zero(touching));
  if (!breakpoint.condition.empty() && !holds_somewhere(breakpoint.condition, touching)) return false;
  return ++breakpoint.hits >= breakpoint.wanted_hits;
}

bool LaunchDebugger::hazard_of(const report::Moment& moment, const Breakpoints& breakpoints, Stop& stop) {
  const vgpu::WarpTrace& trace = walk().trace();
  for (std::size_t i = moment.first; moment.has_hazard && i <= moment.last; ++i)
    for (std::uint32_t k = 0; k < trace.steps[i].hazards; ++k) {
      const vgpu::TracedHazard& hazard = trace.hazards[trace.steps[i].first_hazard + k];
      const std::string kind(report::name_of(hazard.kind));
      if (!breakpoints.hazards.contains(kind)) continue;
      told_.emplace(moment.where.file, moment.where.line, kind);
      stop = {.reason = Stop::kHazard, .what = hazard.what, .remedy = hazard.fix, .kind = kind};
      return true;
    }
  return false;
}

bool LaunchDebugger::stops_at(const report::Moment& moment, Breakpoints& breakpoints, const Print& print,
                              Stop& stop) {
  forget_position();
  if (hazard_of(moment, breakpoints, stop)) return true;
  for (DataBreakpoint& each : breakpoints.data)
    if (stops_at_data(moment, each)) return stop = {Stop::kData, each.id}, true;
  for (LineBreakpoint& each : breakpoints.lines)
    if (stops_at_line(moment, each, print)) return stop = {Stop::kBreakpoint, each.id}, true;
  const vgpu::WarpTrace& trace = walk().trace();
  const vgpu::WarpStep& step = trace.steps[moment.first];
  const bool begins =
      step.number == 0 || (moment.first > 0 && trace.steps[moment.first - 1].call < step.call);
  if (!begins || breakpoints.functions.empty()) return false;
  const std::string name = function_name(trace.instruction_of(step).function);
  const auto meant = std::ranges::find(breakpoints.functions, name, &FunctionBreakpoint::function);
  if (meant == breakpoints.functions.end()) return false;
  stop = {Stop::kFunction, meant->id};
  return true;
}

std::optional<Stop> LaunchDebugger::go_on_in_this_warp(Breakpoints& breakpoints,
                                                       const Interrupted& is_interrupted,
                                                       const Print& print) {
  Stop stop;
  std::uint32_t count = 0;
  const bool found = walk().forward_to([&](const report::Moment& moment) {
    if (++count % kAskEvery == 0 && is_interrupted()) return stop.reason = Stop::kPaused, true;
    return stops_at(moment, breakpoints, print, stop);
  });
  if (!found) return std::nullopt;
  const std::uint32_t lane = lane_;
  arrived(stop.reason);
  if (stop.reason == Stop::kBreakpoint || stop.reason == Stop::kData) lane_ = lane;
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
    const std::string kind(report::name_of(hazard.kind));
    if (!breakpoints.hazards.contains(kind) ||
        !told_.emplace(hazard.where.file, hazard.where.line, kind).second)
      continue;
    focus(hazard.block, vgpu::warp_of(launch_.spec.block, hazard.thread));
    const auto is_there = [&](const report::Moment& moment) {
      return moment.has_hazard || moment.where == hazard.where;
    };
    if (moment() && !is_there(*moment())) walk().forward_to(is_there);
    lane_ = static_cast<std::uint32_t>(linear_index(launch_.spec.block, hazard.thread) % vgpu::kWarpSize);
    arrived(Stop::kHazard);
    return Stop{.reason = Stop::kHazard, .what = hazard.what, .remedy = hazard.fix, .kind = kind};
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
  const bool found = walk().back_to([&](const report::Moment& moment) {
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

Stop LaunchDebugger::step_to_call_below(std::uint32_t call, Breakpoints& breakpoints) {
  Stop stop;
  const auto print_nothing = [](const std::string&) {};
  const bool found = walk().forward_to([&](const report::Moment& moment) {
    return stops_at(moment, breakpoints, print_nothing, stop) ||
           walk().trace().steps[moment.first].call < call;
  });
  if (!found) walk().to_end();
  arrived(stop.reason);
  return found ? stop : Stop{.reason = Stop::kEnd};
}

Stop LaunchDebugger::step_over(Breakpoints& breakpoints) {
  return step_to_call_below(call_here() + 1, breakpoints);
}

Stop LaunchDebugger::step_out(Breakpoints& breakpoints) {
  return step_to_call_below(call_here(), breakpoints);
}

Stop LaunchDebugger::step_in() { return arrived(walk().forward() ? Stop::kStep : Stop::kEnd); }

Stop LaunchDebugger::step_back() {
  current().is_exhausted = false;
  return arrived(walk().back() ? Stop::kStep : Stop::kBegin);
}

}  // namespace cudalab::cli
