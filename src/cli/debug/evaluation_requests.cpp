// Requests that evaluate expressions and commands of the debug console, and the contents of the Warp view.
#include <fmt/format.h>

#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/pictures/builders.h"
#include "report/pictures/renderers.h"
#include "report/warp/screen.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;

// The picture of an access: the sectors or banks that it touches.
std::string figure_of(const vgpu::TracedAccess& access, const SourceLine& where, const vgpu::WarpTrace& trace,
                      const Wording& wording) {
  WarpRequest request{trace.block, trace.warp, access.lanes, access.address, static_cast<int>(access.bytes)};
  request.transactions = access.transactions;
  request.fewest = access.fewest;
  const LineRequests line{where, access.space, access.kind, {request}, request};
  return report::picture_figure(report::request_picture(line, request), wording);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view each : split(text, ' '))
    if (!each.empty()) words.emplace_back(each);
  return words;
}

}  // namespace

Body DebugSession::evaluate(const Body& arguments) {
  const std::string expression = arguments.at("expression").get<std::string>();
  const std::vector<std::string> words = words_of(expression);
  if (arguments.value("context", "") == "repl" && words.size() > 1) {
    if (words[0] == "cuda") return result(moved(words));
    if (words[0] == "info") return result(information(words));
    if (words[0] == "print" || words[0] == "p")
      return value_of(expression.substr(expression.find(words[0]) + words[0].size() + 1),
                      depth_in(arguments));
  }
  return value_of(expression, depth_in(arguments));
}

Body DebugSession::value_of(const std::string& expression, std::size_t depth) {
  const std::uint32_t lane = debugger_->lane();
  if (const auto variable = debugger_->variable(expression, lane, depth)) {
    Body answer = without_names(shown(*variable, [this, expression, lane, depth] {
      return debugger_->variable(expression, lane, depth).value_or(LaneVariable{});
    }));
    answer.erase("value");
    answer["result"] = variable->value;
    if (variable->parts.empty()) answer["variablesReference"] = over_lanes(expression, depth);
    return answer;
  }
  Body answer = result(session::number_text(debugger_->evaluate(expression, lane, depth)));
  answer["variablesReference"] = over_lanes(expression, depth);
  return answer;
}

Body DebugSession::result(const std::string& text) { return {{"result", text}, {"variablesReference", 0}}; }

int DebugSession::over_lanes(const std::string& expression, std::size_t depth) {
  return kept_whole([this, expression, depth] {
    std::vector<LaneVariable> values;
    const std::uint32_t active = debugger_->moment() ? debugger_->moment()->active : 0;
    for (std::uint32_t lane = 0; lane < vgpu::kWarpSize; ++lane)
      if (active >> lane & 1)
        values.push_back({std::to_string(lane), "", in_lane(expression, lane, depth), {}});
    return values;
  });
}

std::string DebugSession::in_lane(const std::string& expression, std::uint32_t lane, std::size_t depth) {
  if (const auto variable = debugger_->variable(expression, lane, depth)) return variable->value;
  try {
    return session::number_text(debugger_->evaluate(expression, lane, depth));
  } catch (const Error& error) {
    return say(error.message());
  }
}

std::string DebugSession::kernel_line() const {
  const session::WalkedLaunch& launch = debugger_->launch();
  return fmt::format("{}  {}<<<{}, {}>>>", launch_number_, launch.kernel, coordinates(launch.spec.grid),
                     coordinates(launch.spec.block));
}

// Launches run once, so a program goes only forward.
std::string DebugSession::moved_to_launch(const std::string& number) {
  const std::uint64_t wanted = triple_from(number).x;
  if (wanted == launch_number_) return kernel_line();
  if (!host_) throw usage_error(msg::debug_launch_is_only_one());
  if (wanted < launch_number_) throw usage_error(msg::debug_launch_is_past(wanted, launch_number_));
  next_launch_ = std::to_string(wanted);
  is_entry_wanted_ = goes_on_ = true;
  after_answer_.emplace_back([this] {
    event("continued", {{"threadId", thread_in_focus()}, {"allThreadsContinued", true}});
  });
  return say(msg::debug_goes_to_launch(wanted));
}

std::string DebugSession::moved(const std::vector<std::string>& words) {
  Dim3 block = debugger_->block();
  std::optional<Dim3> thread;
  std::uint32_t warp = debugger_->warp();
  std::optional<std::uint32_t> lane;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string value;
    const std::string& word = words[i];
    while (i + 1 < words.size() &&
           (is_digit(words[i + 1][0]) || words[i + 1][0] == '(' || words[i + 1][0] == ','))
      value += words[++i];
    if (word == "kernel") return value.empty() ? kernel_line() : moved_to_launch(value);
    if (value.empty()) continue;  // `cuda thread` alone prints the focus
    if (word == "block")
      block = triple_from(value);
    else if (word == "thread")
      thread = triple_from(value);
    else if (word == "warp")
      warp = triple_from(value).x;
    else if (word == "lane")
      lane = triple_from(value).x;
    else
      throw usage_error(msg::debug_command_unknown(word));
  }
  if (thread)
    debugger_->focus_thread(block, *thread);
  else if (block != debugger_->block() || warp != debugger_->warp())
    debugger_->focus(block, warp);
  if (lane) debugger_->focus_lane(*lane);
  after_answer_.emplace_back([this] { report_stop({.reason = Stop::kPaused}); });
  return say(msg::debug_focus(debugger_->launch().kernel, coordinates(debugger_->block()),
                              coordinates(debugger_->thread_of(debugger_->lane())), debugger_->warp(),
                              debugger_->lane()));
}

// The warps of the block at the focused warp's position.
std::string DebugSession::warp_states() {
  std::string text;
  const session::Moment* const moment = debugger_->moment();
  const vgpu::WarpTrace& trace = debugger_->walk().trace();
  if (!moment || trace.states.empty()) return text;
  const std::vector<vgpu::WarpState>& states = trace.states[trace.steps[moment->first].state];
  for (std::uint32_t warp = 0; warp < states.size(); ++warp) {
    const bool is_focus = warp == debugger_->warp();
    Message state = msg::debug_warp_ready();
    if (states[warp].kind == vgpu::WarpState::kEnded) state = msg::debug_warp_ended();
    if (states[warp].kind == vgpu::WarpState::kWaitsForLanes) state = msg::debug_warp_waits_for_lanes();
    if (states[warp].kind == vgpu::WarpState::kAtBarrier)
      state = msg::debug_warp_at_barrier(states[warp].barrier);
    if (states[warp].kind == vgpu::WarpState::kAtClusterBarrier) state = msg::debug_warp_at_cluster_barrier();
    text += fmt::format("{} {}  {}", is_focus ? '*' : ' ', warp, is_focus ? "" : say(state));
    if (is_focus)
      text += fmt::format("{:#010x}  {}", moment->active, say(msg::debug_warp_at_line(moment->where.line)));
    text += "\n";
  }
  return text;
}

std::string DebugSession::information(const std::vector<std::string>& words) {
  const std::string what = words.back();
  if (what == "warps") return warp_states();
  if (what == "kernels") return "* " + kernel_line() + "\n";
  if (what != "lanes" && what != "threads") throw usage_error(msg::debug_command_unknown(what));
  std::string text;
  for (const LaneVariable& lane : lanes())
    text += fmt::format("{} {}  {}\n", lane.name == std::to_string(debugger_->lane()) ? '*' : ' ', lane.name,
                        lane.value);
  return text;
}

Body DebugSession::warp(const Body&) {
  Body lines = Body::array();
  report::ScreenState state;
  state.wording = console_.wording;
  for (const report::ScreenLine& line : report::draw_screen(debugger_->walk(), {}, state, {100, 60}))
    lines.push_back(report::plain_text(line));
  Body rows = Body::array();
  const std::uint32_t active = debugger_->moment() ? debugger_->moment()->active : 0;
  for (std::uint32_t lane = 0; lane < vgpu::kWarpSize && debugger_->has_lane(lane); ++lane) {
    Body values = Body::object();
    for (const LaneVariable& each : debugger_->locals(lane)) values[each.name] = each.value;
    rows.push_back({{"lane", lane},
                    {"active", (active >> lane & 1) != 0},
                    {"state", lane_state(lane)},
                    {"values", values}});
  }
  Body pictures = Body::array();
  if (const session::Moment* moment = debugger_->moment())
    for (const report::MomentAccess& each : report::accesses_of(debugger_->walk().trace(), *moment))
      if (each.access->transactions > 0)
        pictures.push_back(
            figure_of(*each.access, moment->where, debugger_->walk().trace(), console_.wording));
  return {{"lines", lines}, {"lanes", rows}, {"pictures", pictures}};
}

}  // namespace cudalab::cli
