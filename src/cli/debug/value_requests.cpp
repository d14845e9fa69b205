// Requests for the warps of the block, the stack, and the variables of the lane in focus.
#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "cli/debug/debug_session.h"
#include "device/kernel_launch.h"
#include "messages/cli.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostVariables = 4096;  // in one response, unless the client asks for a range

}  // namespace

Body DebugSession::threads(const Body&) {
  Body threads = Body::array();
  for (std::uint32_t warp = 0; debugger_ && warp < debugger_->warps(); ++warp)
    threads.push_back({{"id", kFirstThread + static_cast<int>(warp)},
                       {"name", say(msg::debug_warp_of_block(coordinates(debugger_->block()), warp))}});
  return {{"threads", threads}};
}

Body DebugSession::stack_trace(const Body& arguments) {
  select(arguments);
  Body frames = Body::array();
  for (const LaunchDebugger::Frame& each : debugger_->call_stack()) {
    const bool is_here = each.where.file == debugger_->launch().file;
    const fs::path path = is_here ? path_ : fs::path(each.where.file);
    frames.push_back({{"id", thread_in_focus() + kFrameStride * static_cast<int>(frames.size())},
                      {"name", each.function},
                      {"line", each.where.line},
                      {"column", 1},
                      {"source", {{"name", path.filename().string()}, {"path", path.string()}}}});
  }
  return {{"stackFrames", frames}, {"totalFrames", frames.size()}};
}

int DebugSession::kept(List list) {
  lists_.push_back(std::move(list));
  return static_cast<int>(lists_.size());
}

Body DebugSession::scopes(const Body& arguments) {
  const int frame = arguments.at("frameId").get<int>();
  select({{"threadId", frame % kFrameStride}});
  const auto depth = static_cast<std::size_t>(frame / kFrameStride);
  LaunchDebugger& at = *debugger_;
  const std::uint32_t lane = at.lane();
  Body scopes = Body::array();
  const auto add = [&](const Message& name, List list, bool is_expensive = false) {
    scopes.push_back(
        {{"name", say(name)}, {"expensive", is_expensive}, {"variablesReference", kept(std::move(list))}});
  };
  add(msg::debug_scope_locals(coordinates(at.thread_of(lane))),
      [&at, lane, depth] { return at.locals(lane, depth); });
  add(msg::debug_scope_builtins(), [&at, lane] { return at.builtins(lane); });
  add(msg::debug_scope_shared(), [&at] { return at.shared_arrays(); });
  add(msg::debug_scope_warp(), [this] { return lanes(); });
  add(
      msg::debug_scope_registers(), [&at, lane] { return at.registers(lane); }, true);
  return {{"scopes", scopes}};
}

std::vector<LaneVariable> DebugSession::lanes() {
  std::vector<LaneVariable> rows;
  const std::uint32_t active = debugger_->moment() ? debugger_->moment()->active : 0;
  for (std::uint32_t lane = 0; lane < vgpu::kWarpSize && debugger_->has_lane(lane); ++lane) {
    const Message state = active >> lane & 1 ? msg::debug_lane_active() : msg::debug_lane_inactive();
    rows.push_back({std::to_string(lane), "", coordinates(debugger_->thread_of(lane)) + " " + say(state),
                    debugger_->locals(lane)});
  }
  return rows;
}

Body DebugSession::variables(const Body& arguments) {
  const int reference = arguments.at("variablesReference").get<int>();
  if (reference < 1 || static_cast<std::size_t>(reference) > lists_.size())
    throw usage_error(msg::debug_reference_unknown(reference));
  const std::vector<LaneVariable> all = lists_[static_cast<std::size_t>(reference) - 1]();
  const std::size_t start = std::min<std::size_t>(arguments.value("start", 0u), all.size());
  const std::size_t wanted = arguments.value("count", 0u);
  const std::size_t count = std::min(wanted ? wanted : kMostVariables, all.size() - start);
  Body answers = Body::array();
  for (const LaneVariable& each : std::span(all).subspan(start, count)) answers.push_back(shown(each));
  return {{"variables", answers}};
}

Body DebugSession::shown(const LaneVariable& variable) {
  const auto parts = [variable] { return variable.parts; };
  return {{"name", variable.name},
          {"value", variable.value},
          {"type", variable.type},
          {"variablesReference", variable.parts.empty() ? 0 : kept(parts)}};
}

}  // namespace cudalab::cli
