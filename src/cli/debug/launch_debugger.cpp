// Moves through a recorded launch line by line, and evaluates variables and expressions before a line.
#include "cli/debug/launch_debugger.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "cli/debug/lane_expression.h"
#include "core/error.h"
#include "core/text.h"
#include "device/kernel_launch.h"
#include "messages/cli.h"
#include "report/text/values.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

// Steps that are kept per warp. A step takes about 1 KB in a trace, and a block has up to 32 warps.
constexpr std::uint64_t kWindow = 1u << 12;
constexpr std::size_t kShownParts = 8;   // elements shown on the line of a structure or array
constexpr std::uint32_t kAskEvery = 64;  // lines between two checks for a pause request

double number_of(ptx::Type type, std::uint32_t bytes, std::uint64_t bits) {
  const std::string_view name = ptx::info(type).name;
  if (name == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (name == "f64") return std::bit_cast<double>(bits);
  if (!name.starts_with('s') || bytes == 0) return static_cast<double>(bits);
  const unsigned unused = 64 - 8 * std::min(bytes, 8u);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

// ---- parts of structures and arrays ----------------------------------------------------------------------

// The first part of "pair.x" is "pair", that of "acc[1][2]" is "acc".
std::size_t end_of_part(std::string_view name) {
  const std::size_t end = name.find_first_of(".[", 1);
  return end == std::string_view::npos ? name.size() : end;
}

std::string shown_parts(const LaneVariable& whole) {
  std::string text = "{";
  for (std::size_t i = 0; i < std::min(whole.parts.size(), kShownParts); ++i)
    text += (i ? ", " : "") + whole.parts[i].value;
  return text + (whole.parts.size() > kShownParts ? ", …}" : "}");
}

// `rest`: the value's name relative to `parts`.
void insert(std::vector<LaneVariable>& parts, std::string_view rest, const LaneVariable& value) {
  const std::string part(rest.substr(0, end_of_part(rest)));
  auto found = std::ranges::find(parts, part, &LaneVariable::name);
  if (found == parts.end()) found = parts.insert(parts.end(), {part, "", "", {}});
  if (part.size() == rest.size()) {
    found->value = value.value;
    found->type = value.type;
    return;
  }
  insert(found->parts, rest.substr(part.size()), value);
  found->value = shown_parts(*found);
}

// Template symbols look like "float twice<float, 2>"; the function's name is "twice".
std::string function_name(const std::string& symbol) {
  const std::string name = device::without_template_arguments(device::source_name(symbol));
  return name.substr(name.rfind(' ') + 1);
}

// ---- arrays in shared memory ---------------------------------------------------------------------------

struct ElementType {
  std::string_view word;
  ptx::Type type;
  std::uint64_t bytes;
};

// Looks up the last word of a declaration's type. Arrays of other types are shown as 32-bit words.
const ElementType* element_type(std::string_view word) {
  static const std::vector<ElementType> table{
      {"float", *ptx::type_named("f32"), 4},    {"double", *ptx::type_named("f64"), 8},
      {"int", *ptx::type_named("s32"), 4},      {"unsigned", *ptx::type_named("u32"), 4},
      {"char", *ptx::type_named("s8"), 1},      {"short", *ptx::type_named("s16"), 2},
      {"bool", *ptx::type_named("u8"), 1},      {"size_t", *ptx::type_named("u64"), 8},
      {"uint32_t", *ptx::type_named("u32"), 4}, {"int32_t", *ptx::type_named("s32"), 4}};
  const auto found = std::ranges::find(table, word, &ElementType::word);
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = std::find_if(text.begin() + at, text.end(), is_word);
    const auto end = std::find_if_not(begin, text.end(), is_word);
    if (begin != end) words.emplace_back(begin, end);
    at = static_cast<std::size_t>(end - text.begin());
  }
  return words;
}

// The first word of `__shared__ float a[4], name[8];` that names a type in the table above.
const ElementType* declared_type(std::string_view source, const std::string& name) {
  constexpr std::string_view kShared = "__shared__";
  for (std::size_t at = source.find(kShared); at != std::string_view::npos;
       at = source.find(kShared, at + 1)) {
    const std::string_view declaration = source.substr(at, source.find(';', at) - at);
    const std::vector<std::string> words = words_in(declaration);
    if (std::ranges::find(words, name) == words.end()) continue;
    for (const std::string& word : words)
      if (const ElementType* type = element_type(word)) return type;
  }
  return nullptr;
}

}  // namespace

LaunchDebugger::LaunchDebugger(report::WalkedLaunch launch, std::string source, Wording wording)
    : launch_(std::move(launch)), source_(std::move(source)), wording_(std::move(wording)) {
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
    stack.push_back({device::source_name(instruction.function), report::line_in(instruction, launch_.file)});
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
  if (step == 0) return nothing;
  if (!before_ || before_step_ != step) before_ = launch_.trace({block_, warp_, step - 1, 1, nullptr});
  before_step_ = step;
  return *before_;
}

std::vector<report::KnownValue> LaunchDebugger::known_in(std::size_t depth) {
  const std::vector<std::size_t> calls = depth > 0 ? frames() : std::vector<std::size_t>{};
  if (depth < calls.size()) return report::Variables(walk().trace()).at(calls[depth]);
  return known_here();
}

const std::vector<report::KnownValue>& LaunchDebugger::known_here() {
  if (known_) return *known_;
  const std::size_t first = moment() ? moment()->first : 0;
  const vgpu::WarpTrace& trace = first > 0 ? walk().trace() : before();
  known_.emplace();
  if (!trace.steps.empty()) known_ = report::Variables(trace).at(first > 0 ? first - 1 : 0);
  return *known_;
}

std::vector<LaneVariable> LaunchDebugger::in_lane(const std::vector<report::KnownValue>& values,
                                                  std::uint32_t lane) const {
  std::vector<LaneVariable> variables;
  for (const report::KnownValue& each : values) {
    const bool has_value = each.lanes >> lane & 1;
    LaneVariable value{each.name, each.type, wording_.say(msg::debug_not_assigned()), {}};
    if (has_value) value.value = report::value_text(each.value_type, each.bytes, (*each.bits)[lane]);
    insert(variables, each.name, value);
  }
  return variables;
}

std::vector<LaneVariable> LaunchDebugger::locals(std::uint32_t lane, std::size_t depth) {
  return in_lane(known_in(depth), lane);
}

std::vector<LaneVariable> LaunchDebugger::registers(std::uint32_t lane) {
  if (!moment() || moment()->first == 0) return {};
  return in_lane(report::registers_at(walk().trace(), moment()->first - 1, launch_.file), lane);
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

// ---- shared memory -------------------------------------------------------------------------------------

namespace {

struct Elements {
  ptx::Type type{};
  std::uint64_t bytes = 0;
};

// The element type that the warp's own accesses use. It works for any type or macro in the declaration.
std::optional<Elements> accessed_elements(const vgpu::WarpTrace& trace, const std::string& array) {
  for (const vgpu::WarpStep& step : trace.steps)
    for (std::uint32_t i = 0; i < step.accesses; ++i) {
      const vgpu::TracedAccess& access = trace.accesses[step.first_access + i];
      const std::vector<vgpu::TracedValue>& values = trace.instruction_of(step).values;
      if (access.space != MemorySpace::kShared || access.buffer != array || values.empty()) continue;
      const ptx::Type type = report::shown_type(values[0], trace.values[step.first_value], step.executing);
      return Elements{type, access.bytes / access.elements};
    }
  return std::nullopt;
}

}  // namespace

LaunchDebugger::SharedArray LaunchDebugger::described(const vgpu::TracedVariable& variable) {
  SharedArray array{.name = variable.name, .type = *ptx::type_named("b32")};
  array.offset = variable.offset;
  array.bytes = variable.bytes;
  const auto accessed = accessed_elements(walk().trace(), variable.name);
  const ElementType* const declared = declared_type(source_, variable.name);
  if (accessed) array.type = accessed->type;
  if (!accessed && declared) array.type = declared->type;
  if (accessed || declared) array.element = accessed ? accessed->bytes : declared->bytes;
  for (const lab::DeclaredArray& each : lab::array_shapes(source_, launch_.given))
    if (each.name == variable.name) array.inner = each.inner;
  return array;
}

std::string LaunchDebugger::element_text(const SharedArray& array, std::uint64_t index, double* number) {
  const std::vector<std::byte>& memory = before().shared;
  const std::uint64_t at = array.offset + index * array.element;
  std::uint64_t bits = 0;  // bytes without a write count as zero here; reading them is a hazard
  if (at + array.element <= memory.size()) std::memcpy(&bits, memory.data() + at, array.element);
  const auto bytes = static_cast<std::uint32_t>(array.element);
  if (number) *number = number_of(array.type, bytes, bits);
  return report::value_text(array.type, bytes, bits);
}

LaneVariable LaunchDebugger::rows(const SharedArray& array, std::size_t dimension, std::uint64_t first,
                                  std::uint64_t elements, const std::string& name) {
  LaneVariable whole{name, "", "", {}};
  if (dimension > array.inner.size()) {
    whole.value = element_text(array, first, nullptr);
    return whole;
  }
  std::uint64_t below = 1;
  for (std::size_t i = dimension; i < array.inner.size(); ++i) below *= array.inner[i];
  for (std::uint64_t i = 0; (i + 1) * below <= elements; ++i)
    whole.parts.push_back(
        rows(array, dimension + 1, first + i * below, below, "[" + std::to_string(i) + "]"));
  whole.value = shown_parts(whole);
  return whole;
}

std::vector<LaneVariable> LaunchDebugger::shared_arrays() {
  std::vector<LaneVariable> arrays;
  for (const vgpu::TracedVariable& each : walk().trace().shared_variables) {
    const SharedArray array = described(each);
    const std::uint64_t elements = array.bytes / array.element;
    const std::size_t scalar = elements == 1 && array.inner.empty() ? 1 : 0;
    arrays.push_back(rows(array, scalar, 0, elements, each.name));
    arrays.back().type = ptx::info(array.type).name;
  }
  return arrays;
}

// ---- expressions ---------------------------------------------------------------------------------------

namespace {

// Finds the variable or part with this name, at any depth.
const LaneVariable* found_in(const std::vector<LaneVariable>& variables, std::string_view name) {
  const std::string part(name.substr(0, end_of_part(name)));
  const auto found = std::ranges::find(variables, part, &LaneVariable::name);
  if (found == variables.end()) return nullptr;
  return part.size() == name.size() ? &*found : found_in(found->parts, name.substr(part.size()));
}

std::optional<double> as_number(const LaneVariable* variable) {
  if (!variable || !variable->parts.empty()) return std::nullopt;
  return std::strtod(variable->value.c_str(), nullptr);
}

}  // namespace

std::optional<double> LaunchDebugger::shared_number(const std::string& name) {
  for (const vgpu::TracedVariable& each : walk().trace().shared_variables) {
    if (name.substr(0, end_of_part(name)) != each.name) continue;
    const SharedArray array = described(each);
    std::uint64_t index = 0;
    std::size_t dimension = 0;
    for (std::size_t at = name.find('['); at != std::string::npos; at = name.find('[', at + 1), ++dimension) {
      if (dimension > 0 && dimension <= array.inner.size()) index *= array.inner[dimension - 1];
      index += std::strtoull(name.c_str() + at + 1, nullptr, 10);
    }
    if (index >= array.bytes / array.element) return std::nullopt;
    double number = 0;
    element_text(array, index, &number);
    return number;
  }
  return std::nullopt;
}

std::optional<double> LaunchDebugger::number_called(const std::string& name, std::uint32_t lane) {
  for (const report::KnownValue& each : known_here())
    if (each.name == name && (each.lanes >> lane & 1))
      return number_of(each.value_type, each.bytes, (*each.bits)[lane]);
  if (const auto builtin = as_number(found_in(builtins(lane), name))) return builtin;
  return shared_number(name);
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
  if (stop.reason == Stop::kBreakpoint) lane_ = lane;
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
  const bool may_stop_elsewhere = !breakpoints.lines.empty() || !breakpoints.functions.empty();
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
