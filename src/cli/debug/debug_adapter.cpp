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
#include "messages/session.h"
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

session::StepScope step_scope_in(const Body& arguments) {
  const std::string name = arguments.value("stepBy", "warp");
  if (name == "lane") return session::StepScope::kLane;
  if (name == "block") return session::StepScope::kBlock;
  if (name != "warp") throw usage_error(msg::debug_step_scope_unknown(name));
  return session::StepScope::kWarp;
}

// Options of `cudalab run` come before a program's own arguments.
std::vector<std::string> words_in(const Body& arguments) {
  std::vector<std::string> words = strings_in(arguments, "arguments");
  if (!words.empty() && arguments.contains("program")) words.emplace_back("--");
  std::ranges::copy(strings_in(arguments, "args"), std::back_inserter(words));
  return words;
}

std::string text_of(const Body& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

const std::vector<HazardKind>& stopping_hazards() {
  static const std::vector<HazardKind> all(std::begin(kStoppedAt), std::end(kStoppedAt));
  return all;
}

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

// `reason`: what a program reads, such as "cancelled"; default: `problem`, which people read. With a
// reason, the client's user sees no message, because editors send such requests on their own.
void DebugSession::refuse(const Body& request, const std::string& problem, const std::string& reason) {
  const bool is_shown_in_place = request.value("command", "") == "evaluate";  // a watch, a hover, the console
  const bool is_for_user = reason.empty() && !is_shown_in_place;
  answer(request, false, {{"error", {{"id", 1}, {"format", problem}, {"showUser", is_for_user}}}},
         reason.empty() ? problem : reason);
}

void DebugSession::log(const std::string& text) {
  constexpr auto kOften = std::chrono::milliseconds(100);
  constexpr std::size_t kMostCollected = 1u << 14;
  if (log_.size() < kMostCollected)
    log_ += text;
  else
    ++log_left_out_;
  if (std::chrono::steady_clock::now() - log_flushed_ > kOften) flush_log();
}

void DebugSession::flush_log() {
  log_flushed_ = std::chrono::steady_clock::now();
  if (log_.empty()) return;
  if (log_left_out_) log_ += say(msg::debug_log_left_out(std::exchange(log_left_out_, 0))) + "\n";
  print(std::exchange(log_, {}));
}

void DebugSession::forward_output() {
  if (const std::string text = output_.take(); !text.empty()) print(text, "stdout");
}

void DebugSession::serve_next() {
  const std::optional<Body> request = stream_.next();
  if (!request) return leave();
  handle(*request);
  for (const auto& follow : std::exchange(after_answer_, {})) follow();
}

void DebugSession::serve_while(const std::function<bool()>& goes_on) {
  while (!is_over_ && goes_on()) serve_next();
}

void DebugSession::leave() {
  is_over_ = is_ended_ = true;
  leaves_ = is_attached_;
}

bool DebugSession::is_missing(Request::Needs needs) const {
  return !debugger_ && (needs == Request::kLaunch || (needs == Request::kStop && !host_));
}

void DebugSession::handle(const Body& request) {
  try {
    if (request.value("type", "") != "request") return;
    const std::string command = request.value("command", "");
    const auto row = std::ranges::find(requests(), command, &Request::command);
    if (row == requests().end()) return refuse(request, say(msg::debug_request_unknown(command)));
    if (is_missing(row->needs)) return refuse(request, say(msg::debug_no_launch()), "notStopped");
    if (stream_.is_cancelled(request.value("seq", std::int64_t{0})))
      return refuse(request, say(msg::debug_cancelled()), "cancelled");
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

Body DebugSession::cancel(const Body&) { return Body::object(); }  // see handle()

Body DebugSession::initialize(const Body& arguments) {
  takes_invalidated_ = arguments.value("supportsInvalidatedEvent", false);
  line_offset_ = arguments.value("linesStartAt1", true) ? 0 : -1;
  Body filters = Body::array();
  for (const HazardKind kind : kStoppedAt) {
    const std::string name(report::name_of(kind));
    filters.push_back({{"filter", name}, {"label", in_words(name)}, {"default", true}});
    breakpoints_.hazards.insert(kind);
  }
  filters.push_back({{"filter", kApiErrors}, {"label", "CUDA API errors"}, {"default", true}});
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
          {"supportTerminateDebuggee", true},
          {"supportsBreakpointLocationsRequest", true},
          {"supportsCancelRequest", true},
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

Body DebugSession::attach(const Body& arguments) {
  set_start(arguments);
  process_.reset();
  if (arguments.contains("process")) process_ = arguments["process"].get<std::int64_t>();
  texts_ = {};
  texts_.launch = arguments.contains("launch") ? text_of(arguments["launch"]) : "1";
  is_attached_ = true;
  arguments_ = arguments;
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
  texts.words = words_in(arguments);
  set_start(arguments);
  if (arguments.contains("cwd")) enter(arguments["cwd"].get<std::string>());
  texts_ = texts;
  arguments_ = arguments;
  is_attached_ = false;
}

// The values are read later; a wrong type must fail the request itself.
void DebugSession::set_start(const Body& arguments) {
  block_in(arguments), arguments.value("warp", 0u), arguments.value("stopOnEntry", true);
  step_scope_in(arguments);
}

void DebugSession::enter(const fs::path& folder) {
  std::error_code failed;
  fs::current_path(folder, failed);
  if (failed) throw usage_error(msg::debug_folder_unknown(folder.string()));
}

Body DebugSession::configuration_done(const Body&) { return is_configured_ = true, Body::object(); }

std::optional<int> DebugSession::run_target() {
  const TargetVisitor visitor{[this](TargetLaunch& launch) { return debug(launch); },
                              [this](const device::ProgramStop& stop) { return fail(stop); },
                              [this] { return serve_running(); }};
  if (!is_attached_) return look_into_launch(texts_, console_, visitor);
  look_into_process(process_, texts_, visitor);
  return std::nullopt;
}

void DebugSession::begin() {
  is_ended_ = leaves_ = false;
  is_first_launch_ = true;
  is_entry_wanted_ = arguments_.value("stopOnEntry", true);
  next_launch_ = texts_.launch;
  try {
    const std::optional<int> code = run_target();
    forward_output();
    if (code && !is_ended_ && !is_restarting_) event("exited", {{"exitCode", *code}});
  } catch (const Error& error) {
    forward_output();
    print(say(error.message()) + "\n", "important");  // the session ends because of it
  }
  debugger_.reset();
  host_.reset();
  if (std::exchange(is_restarting_, false)) return;
  event("terminated");
  serve_while([this] { return !std::exchange(is_restarting_, false); });  // until the client disconnects
}

bool DebugSession::open(TargetLaunch& launch) {
  path_ = absolute_path(launch.path);
  launch_number_ = launch.number;
  if (launch.program) host_ = host_stop(*launch.program);
  try {
    debugger_.emplace(session::walked(launch.view), launch.source, console_.wording);
  } catch (const Error& error) {  // the GPU would refuse the launch
    if (error.code() != ExitCode::kUsage) throw;
    if (!host_) host_ = stop_without_host(launch);
    host_->kernel = launch.view.kernel();
    host_->error = report::name_of(HazardKind::kInvalidLaunch);
    host_->why = error.message();
    return false;
  }
  debugger_->set_step_scope(step_scope_in(arguments_));
  if (std::exchange(is_first_launch_, false))
    debugger_->focus(block_in(arguments_), arguments_.value("warp", 0u));
  return true;
}

device::ProgramNext DebugSession::debug(TargetLaunch& launch) {
  const bool is_program = launch.program != nullptr;
  next_launch_ = vgpu::kAnyLaunch;
  if (!open(launch)) {
    report_stop({.reason = Stop::kHazard});
    return serve_stop();
  }
  code_ = code_files();
  verify_all();
  const Stop stop = std::exchange(is_entry_wanted_, false) ? Stop{.reason = Stop::kBegin} : proceed();
  if (stop.reason == Stop::kEnd && is_program)
    goes_on_ = true;
  else
    report_stop(stop);
  return serve_stop();
}

device::ProgramNext DebugSession::serve_stop() {
  forward_output();
  serve_while([this] { return !is_ended_ && !is_restarting_ && !goes_on_; });
  debugger_.reset();
  host_.reset();
  lists_.clear();
  flush_log();
  if (!std::exchange(goes_on_, false)) return {.ends = !leaves_};
  return {false, {next_launch_, stops_at_errors_}};
}

device::ProgramWish DebugSession::serve_running() {
  forward_output();
  while (!is_over_ && stream_.has_arrived()) serve_next();
  if (leaves_) return device::ProgramWish::kLeave;
  return is_ended_ || is_restarting_ ? device::ProgramWish::kEnd : device::ProgramWish::kGoOn;
}

Body DebugSession::terminate(const Body&) { return is_ended_ = true, Body::object(); }

// A program to which the session has attached goes on alone, unless the client wants it to end.
Body DebugSession::disconnect(const Body& arguments) {
  leave();
  if (arguments.contains("terminateDebuggee"))
    leaves_ = is_attached_ && !arguments["terminateDebuggee"].get<bool>();
  return Body::object();
}

Body DebugSession::restart(const Body& arguments) {
  if (is_attached_) throw usage_error(msg::debug_attached_not_restarted());
  if (arguments.contains("arguments")) set_target(arguments["arguments"]);
  return is_restarting_ = true, Body::object();
}

const std::vector<DebugSession::Request>& DebugSession::requests() {
  static const std::vector<Request> table{
      {"initialize", &DebugSession::initialize},
      {"launch", &DebugSession::launch},
      {"attach", &DebugSession::attach},
      {"cancel", &DebugSession::cancel},
      {"configurationDone", &DebugSession::configuration_done},
      {"setBreakpoints", &DebugSession::set_breakpoints},
      {"breakpointLocations", &DebugSession::breakpoint_locations},
      {"setFunctionBreakpoints", &DebugSession::set_function_breakpoints},
      {"setExceptionBreakpoints", &DebugSession::set_exception_breakpoints},
      {"setDataBreakpoints", &DebugSession::set_data_breakpoints},
      {"threads", &DebugSession::threads},
      {"terminate", &DebugSession::terminate},
      {"disconnect", &DebugSession::disconnect},
      {"restart", &DebugSession::restart},
      {"stackTrace", &DebugSession::stack_trace, Request::kStop},
      {"scopes", &DebugSession::scopes, Request::kStop},
      {"variables", &DebugSession::variables, Request::kLaunch},
      {"setVariable", &DebugSession::set_variable, Request::kLaunch},
      {"dataBreakpointInfo", &DebugSession::data_breakpoint_info, Request::kLaunch},
      {"readMemory", &DebugSession::read_memory, Request::kLaunch},
      {"disassemble", &DebugSession::disassemble, Request::kLaunch},
      {"source", &DebugSession::source, Request::kLaunch},
      {"evaluate", &DebugSession::evaluate, Request::kLaunch},
      {"continue", &DebugSession::go_on, Request::kStop},
      {"reverseContinue", &DebugSession::reverse, Request::kLaunch},
      {"next", &DebugSession::next, Request::kStop},
      {"stepIn", &DebugSession::step_in, Request::kStop},
      {"stepOut", &DebugSession::step_out, Request::kStop},
      {"stepBack", &DebugSession::step_back, Request::kLaunch},
      {"pause", &DebugSession::pause},
      {"exceptionInfo", &DebugSession::exception_info, Request::kStop},
      {"cudalab/warp", &DebugSession::warp, Request::kLaunch},
  };
  return table;
}

void serve_debug_adapter(ProtocolStream& stream, const Console& console) {
  DebugSession(stream, console).run();
}

}  // namespace cudalab::cli
