// Requests that evaluate expressions and commands of the debug console, and the contents of the Warp view.
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/text/values.h"
#include "report/warp/screen.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;

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
  if (arguments.value("context", "") == "repl" && !words.empty()) {
    if (words[0] == "cuda") return result(moved(words));
    if (words[0] == "info") return result(information(words));
  }
  const std::uint32_t lane = debugger_->lane();
  if (const auto variable = debugger_->variable(expression, lane)) {
    Body answer = shown(*variable, [this, expression, lane] {
      return debugger_->variable(expression, lane).value_or(LaneVariable{});
    });
    answer["result"] = variable->value;
    if (variable->parts.empty()) answer["variablesReference"] = over_lanes(expression);
    return answer;
  }
  Body answer = result(report::significant(debugger_->evaluate(expression, lane), 9));
  answer["variablesReference"] = over_lanes(expression);
  return answer;
}

Body DebugSession::result(const std::string& text) { return {{"result", text}, {"variablesReference", 0}}; }

int DebugSession::over_lanes(const std::string& expression) {
  return kept_whole([this, expression] {
    std::vector<LaneVariable> values;
    const std::uint32_t active = debugger_->moment() ? debugger_->moment()->active : 0;
    for (std::uint32_t lane = 0; lane < vgpu::kWarpSize; ++lane)
      if (active >> lane & 1) values.push_back({std::to_string(lane), "", in_lane(expression, lane), {}});
    return values;
  });
}

std::string DebugSession::in_lane(const std::string& expression, std::uint32_t lane) {
  if (const auto variable = debugger_->variable(expression, lane)) return variable->value;
  try {
    return report::significant(debugger_->evaluate(expression, lane), 9);
  } catch (const Error& error) {
    return say(error.message());
  }
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
    if (word == "kernel") return debugger_->launch().kernel;
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

std::string DebugSession::information(const std::vector<std::string>& words) {
  const std::string what = words.back();
  std::string text;
  if (what == "lanes")
    for (const LaneVariable& lane : lanes()) text += lane.name + "  " + lane.value + "\n";
  else if (what == "warps")
    for (const Body& each : threads({})["threads"]) text += each["name"].get<std::string>() + "\n";
  else if (what == "kernels")
    text = debugger_->launch().kernel;
  else
    throw usage_error(msg::debug_command_unknown(what));
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
    rows.push_back({{"lane", lane}, {"active", (active >> lane & 1) != 0}, {"values", values}});
  }
  return {{"lines", lines}, {"lanes", rows}};
}

}  // namespace cudalab::cli
