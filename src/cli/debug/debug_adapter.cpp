// Serves the Debug Adapter Protocol: answers messages, and runs the target up to the launch.
#include "cli/debug/debug_adapter.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/files.h"
#include "messages/cli.h"
#include "report/text/values.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;
namespace fs = std::filesystem;

constexpr HazardKind kStoppedAt[]{
    HazardKind::kOutOfBounds, HazardKind::kMisaligned,   HazardKind::kUninitialisedRead,
    HazardKind::kSharedRace,  HazardKind::kGlobalRace,   HazardKind::kBarrierDivergence,
    HazardKind::kDeadlock,    HazardKind::kStepLimit,    HazardKind::kTrap,
    HazardKind::kAssertion,   HazardKind::kStackOverflow};

std::string text_of(const Body& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

Dim3 triple_from(std::string_view text) {
  Dim3 at{0, 0, 0};
  std::uint32_t* const parts[]{&at.x, &at.y, &at.z};
  std::size_t part = 0;
  bool has_digit = false;
  for (const char c : text) {
    if (c == ',' && ++part == 3) break;
    if (is_digit(c)) *parts[part] = *parts[part] * 10 + static_cast<std::uint32_t>(c - '0'), has_digit = true;
  }
  if (!has_digit) throw usage_error(msg::debug_expression_wrong(std::string(text), 1));
  return at;
}

std::vector<std::string> strings_in(const Body& arguments, const char* key) {
  return arguments.value(key, std::vector<std::string>{});
}

Dim3 block_in(const Body& arguments) {
  return arguments.contains("block") ? triple_from(arguments["block"].dump()) : Dim3{0, 0, 0};
}

// ---- messages ------------------------------------------------------------------------------------------

std::string DebugSession::say(const Message& message) const { return console_.wording.say(message); }

void DebugSession::event(const char* name, Body body) {
  stream_.send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void DebugSession::print(const std::string& text, const char* category) {
  event("output", {{"category", category}, {"output", text}});
}

void DebugSession::answer(const Body& request, bool success, Body body, const std::string& problem) {
  Body response{{"type", "response"},
                {"request_seq", request.value("seq", 0)},
                {"command", request.value("command", "")},
                {"success", success},
                {"body", std::move(body)}};
  if (!success) response["message"] = problem;
  stream_.send(std::move(response));
}

void DebugSession::refuse(const Body& request, const std::string& problem) {
  answer(request, false, {{"error", {{"id", 1}, {"format", problem}, {"showUser", true}}}}, problem);
}

void DebugSession::serve_while(const std::function<bool()>& goes_on) {
  while (!is_over_ && goes_on()) {
    const std::optional<Body> request = stream_.next();
    if (!request) return leave();
    handle(*request);
    for (const auto& follow : std::exchange(after_answer_, {})) follow();
  }
}

void DebugSession::leave() { is_over_ = is_ended_ = true; }

void DebugSession::handle(const Body& request) {
  try {
    if (request.value("type", "") != "request") return;
    const std::string command = request.value("command", "");
    const auto row = std::ranges::find(requests(), command, &Request::command);
    if (row == requests().end()) return refuse(request, say(msg::debug_request_unknown(command)));
    if (row->needs_launch && !debugger_) return refuse(request, say(msg::debug_no_launch()));
    answer(request, true, (this->*row->answer)(request.value("arguments", Body::object())));
  } catch (const Error& error) {
    refuse(request, say(error.message()));
  } catch (const Body::exception&) {
    refuse(numbered(request), say(msg::debug_arguments_wrong()));
  }
}

Body DebugSession::numbered(const Body& request) {
  Body kept = Body::object();
  if (const auto seq = request.find("seq"); seq != request.end() && seq->is_number()) kept["seq"] = *seq;
  if (const auto command = request.find("command"); command != request.end() && command->is_string())
    kept["command"] = *command;
  return kept;
}

// ---- starting a session --------------------------------------------------------------------------------

void DebugSession::run() {
  while (!is_over_) {
    serve_while([this] { return !is_configured_ || arguments_.is_null(); });
    if (!is_over_) begin();
  }
}

Body DebugSession::initialize(const Body& arguments) {
  takes_invalidated_ = arguments.value("supportsInvalidatedEvent", false);
  Body filters = Body::array();
  for (const HazardKind kind : kStoppedAt) {
    const std::string name(report::name_of(kind));
    filters.push_back({{"filter", name}, {"label", in_words(name)}, {"default", true}});
    breakpoints_.hazards.insert(name);
  }
  after_answer_.emplace_back([this] { event("initialized"); });
  return {{"supportsConfigurationDoneRequest", true},
          {"supportsFunctionBreakpoints", true},
          {"supportsConditionalBreakpoints", true},
          {"supportsHitConditionalBreakpoints", true},
          {"supportsLogPoints", true},
          {"supportsEvaluateForHovers", true},
          {"supportsStepBack", true},
          {"supportsExceptionInfoRequest", true},
          {"supportsTerminateRequest", true},
          {"supportsRestartRequest", true},
          {"supportsSetVariable", true},
          {"supportsDataBreakpoints", true},
          {"supportsReadMemoryRequest", true},
          {"supportsDisassembleRequest", true},
          {"supportsSingleThreadExecutionRequests", true},
          {"exceptionBreakpointFilters", filters}};
}

Body DebugSession::launch(const Body& arguments) {
  set_target(arguments);
  return Body::object();
}

void DebugSession::set_target(const Body& arguments) {
  TargetTexts texts;
  for (const char* kind : {"exercise", "lab", "kernel", "program"})
    if (arguments.contains(kind)) texts.what = arguments[kind].get<std::string>();
  if (texts.what.empty()) throw usage_error(msg::debug_target_missing());
  const auto take = [&](const char* key, std::string& to) {
    if (arguments.contains(key)) to = text_of(arguments[key]);
  };
  take("stage", texts.stage);
  take("case", texts.test_case);
  take("seed", texts.seed);
  take("launch", texts.launch);
  take("card", texts.card);
  texts.for_debugger = arguments.value("debug", true);
  texts.words = strings_in(arguments, "args");
  std::ranges::copy(strings_in(arguments, "arguments"), std::back_inserter(texts.words));
  // The values are read later; a wrong type must fail the launch request itself.
  block_in(arguments), arguments.value("warp", 0u), arguments.value("stopOnEntry", true);
  if (arguments.contains("cwd")) enter(arguments["cwd"].get<std::string>());
  texts_ = texts;
  arguments_ = arguments;
}

void DebugSession::enter(const fs::path& folder) {
  std::error_code failed;
  fs::current_path(folder, failed);
  if (failed) throw usage_error(msg::debug_folder_unknown(folder.string()));
}

Body DebugSession::configuration_done(const Body&) { return is_configured_ = true, Body::object(); }

void DebugSession::begin() {
  is_ended_ = false;
  try {
    look_into_launch(texts_, console_, [this](TargetLaunch& launch) { debug(launch); });
  } catch (const Error& error) {
    print(say(error.message()) + "\n", "stderr");
  }
  debugger_.reset();
  if (std::exchange(is_restarting_, false)) return;
  event("terminated");
  serve_while([this] { return !std::exchange(is_restarting_, false); });  // until the client disconnects
}

void DebugSession::debug(TargetLaunch& launch) {
  path_ = absolute_path(launch.path);
  debugger_.emplace(walked(launch), launch.source, console_.wording);
  debugger_->focus(block_in(arguments_), arguments_.value("warp", 0u));
  for (const Body& each : source_breakpoints_) verify(each);
  if (arguments_.value("stopOnEntry", true))
    report_stop({.reason = Stop::kBegin});
  else
    report_stop(proceed());
  serve_while([this] { return !is_ended_ && !is_restarting_; });
}

Body DebugSession::terminate(const Body&) { return is_ended_ = true, Body::object(); }

Body DebugSession::disconnect(const Body&) { return is_ended_ = is_over_ = true, Body::object(); }

Body DebugSession::restart(const Body& arguments) {
  if (arguments.contains("arguments")) set_target(arguments["arguments"]);
  return is_restarting_ = true, Body::object();
}

const std::vector<DebugSession::Request>& DebugSession::requests() {
  static const std::vector<Request> table{
      {"initialize", &DebugSession::initialize},
      {"launch", &DebugSession::launch},
      {"configurationDone", &DebugSession::configuration_done},
      {"setBreakpoints", &DebugSession::set_breakpoints},
      {"setFunctionBreakpoints", &DebugSession::set_function_breakpoints},
      {"setExceptionBreakpoints", &DebugSession::set_exception_breakpoints},
      {"setDataBreakpoints", &DebugSession::set_data_breakpoints},
      {"threads", &DebugSession::threads},
      {"terminate", &DebugSession::terminate},
      {"disconnect", &DebugSession::disconnect},
      {"restart", &DebugSession::restart},
      {"stackTrace", &DebugSession::stack_trace, true},
      {"scopes", &DebugSession::scopes, true},
      {"variables", &DebugSession::variables, true},
      {"setVariable", &DebugSession::set_variable, true},
      {"dataBreakpointInfo", &DebugSession::data_breakpoint_info, true},
      {"readMemory", &DebugSession::read_memory, true},
      {"disassemble", &DebugSession::disassemble, true},
      {"source", &DebugSession::source, true},
      {"evaluate", &DebugSession::evaluate, true},
      {"continue", &DebugSession::go_on, true},
      {"reverseContinue", &DebugSession::reverse, true},
      {"next", &DebugSession::next, true},
      {"stepIn", &DebugSession::step_in, true},
      {"stepOut", &DebugSession::step_out, true},
      {"stepBack", &DebugSession::step_back, true},
      {"pause", &DebugSession::pause, true},
      {"exceptionInfo", &DebugSession::exception_info, true},
      {"cudalab/warp", &DebugSession::warp, true},
  };
  return table;
}

void serve_debug_adapter(ProtocolStream& stream, const Console& console) {
  DebugSession(stream, console).run();
}

}  // namespace cudalab::cli
