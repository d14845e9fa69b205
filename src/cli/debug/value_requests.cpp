// Requests for the warps of the block, the stack, and the variables of the lane in focus.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "messages/cli.h"
#include "messages/session.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;
using session::LaneState;
constexpr std::size_t kMostVariables = 4096;  // in one response, unless the client asks for a range

}  // namespace

Body DebugSession::threads(const Body&) {
  Body threads = Body::array();
  if (host_ || (!debugger_ && !arguments_.is_null()))
    threads.push_back({{"id", kHostThread},
                       {"name", say(host_ && !host_->call.empty() ? msg::debug_host_thread(host_->call)
                                                                  : msg::debug_host_code())}});
  for (std::uint32_t warp = 0; debugger_ && warp < debugger_->warps(); ++warp)
    threads.push_back({{"id", kFirstThread + static_cast<int>(warp)},
                       {"name", say(msg::debug_warp_of_block(warp, coordinates(debugger_->block())))}});
  return {{"threads", threads}};
}

std::size_t DebugSession::depth_in(const Body& arguments) {
  const int frame = arguments.value("frameId", thread_in_focus());
  select({{"threadId", frame % kFrameStride}});
  return static_cast<std::size_t>(frame / kFrameStride);
}

Body DebugSession::stack_trace(const Body& arguments) {
  select(arguments);
  if (!debugger_ || arguments.value("threadId", 0) == kHostThread) {
    const Body host = host_frames();
    return {{"stackFrames", host}, {"totalFrames", host.size()}};
  }
  Body frames = Body::array();
  for (const LaunchDebugger::Frame& each : debugger_->call_stack()) {
    frames.push_back(
        {{"id", thread_in_focus() + kFrameStride * static_cast<int>(frames.size())},
         {"name", each.function.empty() ? say(msg::debug_inlined_code()) : each.function},
         {"line", shown_line(each.where.line)},
         {"column", 1 + line_offset_},
         {"instructionPointerReference", instruction_reference(static_cast<std::int64_t>(each.instruction))},
         {"source", source_of(each.where.file)}});
  }
  return {{"stackFrames", frames}, {"totalFrames", frames.size()}};
}

int DebugSession::kept(List list) {
  lists_.push_back(std::move(list));
  return static_cast<int>(lists_.size());
}

int DebugSession::kept_whole(std::function<std::vector<LaneVariable>()> list) {
  return kept([list = std::move(list)](std::size_t first, std::size_t count) {
    std::vector<LaneVariable> all = list();
    first = std::min(first, all.size());
    count = std::min(count, all.size() - first);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<LaneVariable>(begin, begin + static_cast<std::ptrdiff_t>(count));
  });
}

const DebugSession::List& DebugSession::list_in(const Body& arguments) const {
  const int reference = arguments.at("variablesReference").get<int>();
  if (reference < 1 || static_cast<std::size_t>(reference) > lists_.size())
    throw usage_error(msg::debug_reference_unknown(reference));
  return lists_[static_cast<std::size_t>(reference) - 1];
}

LaneVariable DebugSession::variable_in(const Body& arguments) const {
  const std::string name = arguments.at("name").get<std::string>();
  // The index of an element may be beyond those of one response.
  const bool is_element = name.starts_with('[');
  const std::size_t first = is_element ? std::strtoull(name.c_str() + 1, nullptr, 10) : 0;
  const std::vector<LaneVariable> all = list_in(arguments)(first, is_element ? 1 : kMostVariables);
  const auto found = std::ranges::find(all, name, &LaneVariable::name);
  if (found == all.end()) throw usage_error(msg::debug_name_unknown(name));
  return *found;
}

std::vector<LaneVariable> DebugSession::global_buffers(std::uint32_t lane) {
  std::vector<LaneVariable> all = debugger_->module_variables();
  for (const LaunchDebugger::Buffer& each : debugger_->buffers(lane)) {
    LaneVariable buffer{each.name, each.type, memory_reference(each.address), {}};
    buffer.memory = each.address;
    buffer.elements = each.elements;
    buffer.read = [this, each](std::uint64_t first, std::uint64_t count) {
      return debugger_->elements(each, first, count);
    };
    all.push_back(std::move(buffer));
  }
  return all;
}

std::vector<LaneVariable> DebugSession::locals(std::uint32_t lane, std::size_t depth, bool are_arguments) {
  std::vector<LaneVariable> all = debugger_->locals(lane, depth);
  std::erase_if(all, [&](const LaneVariable& each) { return each.is_argument != are_arguments; });
  if (!debugger_->names_variables()) all.push_back({"-", "", say(msg::debug_optimised_away()), {}});
  return all;
}

Body DebugSession::scopes(const Body& arguments) {
  if (!debugger_ || arguments.at("frameId").get<int>() % kFrameStride == kHostThread)
    return {{"scopes", Body::array()}};
  const std::size_t depth = depth_in(arguments);
  LaunchDebugger& at = *debugger_;
  const std::uint32_t lane = at.lane();
  Body scopes = Body::array();
  const auto add = [&](const Message& name, std::function<std::vector<LaneVariable>()> list,
                       bool is_expensive = false) {
    scopes.push_back({{"name", say(name)},
                      {"expensive", is_expensive},
                      {"variablesReference", kept_whole(std::move(list))}});
  };
  add(msg::debug_scope_locals(coordinates(at.thread_of(lane))),
      [this, lane, depth] { return locals(lane, depth, false); });
  add(msg::debug_scope_arguments(), [this, lane, depth] { return locals(lane, depth, true); });
  add(msg::debug_scope_builtins(), [&at, lane] { return at.builtins(lane); });
  add(msg::debug_scope_shared(), [&at] { return at.shared_arrays(); });
  add(msg::debug_scope_global(), [this, lane] { return global_buffers(lane); });
  add(msg::debug_scope_warp(), [this] { return lanes(); });
  add(
      msg::debug_scope_registers(), [&at, lane] { return at.registers(lane); }, true);
  return {{"scopes", scopes}};
}

std::string DebugSession::lane_state(std::uint32_t lane) {
  switch (debugger_->lane_state(lane)) {
    case LaneState::kActive: return say(msg::debug_lane_active());
    case LaneState::kDiverged: return say(msg::debug_lane_diverged());
    case LaneState::kAtBarrier: return say(msg::debug_lane_at_barrier());
    case LaneState::kWaitsForLanes: return say(msg::debug_lane_waits_for_lanes());
    default: return say(msg::debug_lane_ended());
  }
}

std::vector<LaneVariable> DebugSession::lanes() {
  std::vector<LaneVariable> rows;
  for (std::uint32_t lane = 0; lane < vgpu::kWarpSize && debugger_->has_lane(lane); ++lane)
    rows.push_back({std::to_string(lane), "",
                    coordinates(debugger_->thread_of(lane)) + " " + lane_state(lane),
                    debugger_->locals(lane)});
  return rows;
}

Body DebugSession::variables(const Body& arguments) {
  const List list = list_in(arguments);  // a copy: showing a variable may add lists
  const std::size_t first = arguments.value("start", 0u), wanted = arguments.value("count", 0u);
  Body answers = Body::array();
  for (const LaneVariable& each : list(first, wanted ? wanted : kMostVariables)) {
    const std::size_t index = first + answers.size();
    answers.push_back(shown(each, [list, index] {
      const std::vector<LaneVariable> found = list(index, 1);
      return found.empty() ? LaneVariable{} : found.front();
    }));
  }
  return {{"variables", answers}};
}

Body DebugSession::shown(const LaneVariable& variable, std::function<LaneVariable()> again) {
  Body answer{{"name", variable.name}, {"value", variable.value}, {"type", variable.type}};
  int reference = 0;
  if (variable.elements > 0)
    reference = kept(variable.read);
  else if (!variable.parts.empty())
    reference = kept_whole([again = std::move(again)] { return again().parts; });
  answer["variablesReference"] = reference;
  if (variable.elements > 0) answer["indexedVariables"] = variable.elements;
  if (variable.memory) answer["memoryReference"] = memory_reference(*variable.memory);
  const ValuePlace& place = variable.place;
  if (place.kind == ValuePlace::kMemory ||
      (place.kind == ValuePlace::kLocal && place.lane == debugger_->lane()))
    answer["evaluateName"] = place.name;
  return answer;
}

// Responses that show one value, whose name the client knows, have no fields for it.
Body DebugSession::without_names(Body variable) {
  variable.erase("name");
  variable.erase("evaluateName");
  return variable;
}

Body DebugSession::set_variable(const Body& arguments) {
  const LaneVariable old = variable_in(arguments);
  ValuePlace place = old.parts.empty() ? old.place : ValuePlace{};
  if (place.kind == ValuePlace::kNone) place.name = old.name;
  debugger_->change(place, arguments.at("value").get<std::string>());
  if (takes_invalidated_)
    after_answer_.emplace_back([this] { event("invalidated", {{"areas", {"variables"}}}); });
  const auto again = [this, arguments] { return variable_in(arguments); };
  return without_names(shown(again(), again));
}

}  // namespace cudalab::cli
