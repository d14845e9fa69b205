// The position in a recorded launch, and the values of variables and expressions before a line.
#include "session/launch_debugger.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "device/kernel_launch.h"
#include "messages/session.h"
#include "session/lane_expression.h"
#include "vgpu/warp_shape.h"

namespace cudalab::session {
namespace {

// Steps that are kept per warp. A step takes about 1 KB in a trace, and a block has up to 32 warps.
constexpr std::uint64_t kWindow = 1u << 12;

// The lines of an instruction, innermost first, from the innermost one in `file` on: its own, and those where
// its code was inlined.
std::vector<SourceLine> lines_of(const vgpu::TracedInstruction& instruction, const std::string& file) {
  std::vector<SourceLine> lines{instruction.where};
  lines.insert(lines.end(), instruction.inlined_at.begin(), instruction.inlined_at.end());
  const auto own = std::ranges::find(lines, file, &SourceLine::file);
  if (own == lines.end()) return {instruction.where};
  return {own, lines.end()};
}

std::optional<double> as_number(const LaneVariable* variable) {
  if (!variable || !variable->parts.empty()) return std::nullopt;
  return std::strtod(variable->value.c_str(), nullptr);
}

}  // namespace

// Template symbols look like "float twice<float, 2>"; the function's name is "twice".
std::string function_name(const std::string& symbol) {
  const std::string name = device::without_template_arguments(device::source_name(symbol));
  return name.substr(name.rfind(' ') + 1);
}

LaunchDebugger::LaunchDebugger(WalkedLaunch launch, std::string source, Wording wording)
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
  Position fresh{Walk(launch_, kWindow)};
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

std::vector<LaunchDebugger::OpenFrame> LaunchDebugger::frames() {
  std::vector<OpenFrame> found;
  if (!moment()) return found;
  const vgpu::WarpTrace& trace = walk().trace();
  std::uint32_t call = ~0u;
  for (std::size_t i = moment()->first + 1; i-- > 0;) {
    if (trace.steps[i].call >= call) continue;
    call = trace.steps[i].call;
    for (const SourceLine& line : lines_of(trace.instruction_of(trace.steps[i]), launch_.file))
      found.push_back({i, line, true});
    found.back().is_inlined = false;
  }
  return found;
}

std::vector<LaunchDebugger::Frame> LaunchDebugger::call_stack() {
  std::vector<Frame> stack;
  for (const OpenFrame& open : frames()) {
    const vgpu::TracedInstruction& instruction =
        walk().trace().instruction_of(walk().trace().steps[open.step]);
    const auto listed = std::ranges::find_if(listing(), [&](const vgpu::ListedInstruction& each) {
      return each.code.function == instruction.function && each.code.statement == instruction.statement;
    });
    Frame frame{"", open.where, static_cast<std::uint64_t>(listed - listing().begin())};
    if (!open.is_inlined)
      frame.function = device::source_name(instruction.function);
    else if (open.where.file == launch_.file)
      frame.function = function_around(source_, open.where.line);
    stack.push_back(std::move(frame));
  }
  return stack;
}

LaneState LaunchDebugger::lane_state(std::uint32_t lane) {
  if (!moment()) return LaneState::kEnded;
  if (moment()->active >> lane & 1) return LaneState::kActive;
  const vgpu::WarpTrace& trace = walk().trace();
  for (std::size_t i = moment()->first; i-- > 0;) {
    const vgpu::WarpStep& step = trace.steps[i];
    if (!(step.executing >> lane & 1)) continue;
    const std::string& text = trace.instruction_of(step).text;
    const bool returns = text.starts_with("ret") || text.starts_with("exit");
    if (returns && (step.call == 0 || text.starts_with("exit"))) return LaneState::kEnded;
    if (text.starts_with("bar.warp")) return LaneState::kWaitsForLanes;
    return step.is_barrier ? LaneState::kAtBarrier : LaneState::kDiverged;
  }
  return LaneState::kDiverged;
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

std::vector<KnownValue> LaunchDebugger::known_in(std::size_t depth) {
  const std::vector<OpenFrame> open = depth > 0 ? frames() : std::vector<OpenFrame>{};
  if (depth < open.size() && open[depth].step != moment()->first)
    return walk().variables_after(open[depth].step);
  return known_here();
}

const std::vector<KnownValue>& LaunchDebugger::known_here() {
  if (known_) return *known_;
  const std::size_t first = moment() ? moment()->first : 0;
  known_.emplace();
  const auto& steps = walk().trace().steps;
  if (first > 0 && steps[first].call > steps[first - 1].call) return *known_;  // a function begins
  if (first > 0)
    known_ = walk().variables_after(first - 1);
  else if (before().steps.size() > 1)
    known_ = Variables(before()).at(0);
  return *known_;
}

// The value that a change has given to a variable of a caller, which the trace shows only after the return.
std::optional<std::uint64_t> LaunchDebugger::changed_bits(const std::string& name, std::uint32_t call,
                                                          std::uint32_t lane) {
  const std::uint64_t now = walk().trace().steps[moment()->first].number;
  std::optional<std::uint64_t> bits;
  for (const ChangedLocal& each : changed_locals_) {
    const vgpu::TraceChange& change = each.change;
    if (each.name != name || change.call != call || change.lane != lane || change.step > now) continue;
    if (change.block != block_ || change.warp != warp_) continue;
    std::memcpy(&bits.emplace(0), change.bytes.data(), std::min(change.bytes.size(), sizeof(std::uint64_t)));
  }
  return bits;
}

std::vector<LaneVariable> LaunchDebugger::in_lane(const std::vector<KnownValue>& values, std::uint32_t lane,
                                                  std::optional<std::uint32_t> call) const {
  std::vector<LaneVariable> variables;
  for (const KnownValue& each : values) {
    const bool has_value = each.lanes >> lane & 1;
    LaneVariable value{each.name, each.type, wording_.say(msg::debug_not_assigned()), {}};
    value.is_argument = each.is_argument;
    if (has_value) value.value = value_text(each.value_type, each.bytes, (*each.bits)[lane]);
    if (has_value && call) {
      value.place = {.kind = ValuePlace::kLocal, .name = each.name, .lane = lane};
      value.place.call = *call;
      value.place.type = each.value_type;
      value.place.bytes = each.bytes;
    }
    if (has_value && each.type.ends_with('*')) value.memory = (*each.bits)[lane];
    insert_part(variables, each.name, value);
  }
  return variables;
}

std::vector<LaneVariable> LaunchDebugger::locals(std::uint32_t lane, std::size_t depth) {
  if (!moment()) return {};
  const std::vector<KnownValue> known = known_in(depth);
  const std::vector<OpenFrame> open = frames();
  const std::uint32_t call = depth < open.size() ? walk().trace().steps[open[depth].step].call : 0;
  std::vector<std::array<std::uint64_t, vgpu::kWarpSize>> changed(known.size());
  std::vector<KnownValue> values = known;
  for (std::size_t i = 0; depth > 0 && i < values.size(); ++i)
    if (const auto bits = changed_bits(values[i].name, call, lane)) {
      changed[i].fill(*bits);
      values[i].bits = &changed[i];
    }
  return in_lane(values, lane, call);
}

std::vector<LaneVariable> LaunchDebugger::registers(std::uint32_t lane) {
  if (!moment() || moment()->first == 0) return {};
  return in_lane(registers_at(walk().trace(), moment()->first - 1, launch_.file), lane, std::nullopt);
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

std::optional<double> LaunchDebugger::number_called(const std::string& name, std::uint32_t lane,
                                                    std::size_t depth) {
  const std::vector<KnownValue> outer = depth > 0 ? known_in(depth) : std::vector<KnownValue>{};
  for (const KnownValue& each : depth > 0 ? outer : known_here())
    if (each.name == name && (each.lanes >> lane & 1))
      return number_of(each.value_type, each.bytes, (*each.bits)[lane]);
  if (const auto builtin = as_number(found_in(builtins(lane), name))) return builtin;
  return number_at(memory_place(name, lane));
}

double LaunchDebugger::evaluate(const std::string& expression, std::uint32_t lane, std::size_t depth) {
  return evaluate_in_lane(expression,
                          [&](const std::string& name) { return number_called(name, lane, depth); });
}

std::optional<LaneVariable> LaunchDebugger::variable(const std::string& name, std::uint32_t lane,
                                                     std::size_t depth) {
  for (const std::vector<LaneVariable>& scope :
       {locals(lane, depth), builtins(lane), shared_arrays(), module_variables(), registers(lane)})
    if (const LaneVariable* found = found_in(scope, name)) return *found;
  return std::nullopt;
}

// ---- code ------------------------------------------------------------------------------------------------

std::set<int> LaunchDebugger::code_lines(const std::string& file) { return lines_with_code(listing(), file); }

bool LaunchDebugger::has_function(const std::string& name) {
  return std::ranges::any_of(listing(), [&](const vgpu::ListedInstruction& each) {
    return function_name(each.code.function) == name;
  });
}

bool LaunchDebugger::names_variables() { return !walk().trace().locals.empty(); }

}  // namespace cudalab::session
