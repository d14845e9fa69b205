// Serves the Debug Adapter Protocol: translates a client's requests into calls of LaunchDebugger.
#include "cli/debug/debug_adapter.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "cli/debug/launch_debugger.h"
#include "cli/step_target.h"
#include "core/files.h"
#include "core/text.h"
#include "device/kernel_launch.h"
#include "messages/cli.h"
#include "ptx/module.h"
#include "report/text/values.h"
#include "report/warp/screen.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;
namespace fs = std::filesystem;

constexpr int kFirstThread = 1;               // the thread ID of a warp is the warp's number plus this
constexpr int kFrameStride = 1024;            // a frame's ID is its thread ID times this, plus its depth
constexpr std::size_t kMostVariables = 4096;  // in one response, unless the client asks for a range

constexpr HazardKind kStoppedAt[]{
    HazardKind::kOutOfBounds, HazardKind::kMisaligned,   HazardKind::kUninitialisedRead,
    HazardKind::kSharedRace,  HazardKind::kGlobalRace,   HazardKind::kBarrierDivergence,
    HazardKind::kDeadlock,    HazardKind::kStepLimit,    HazardKind::kTrap,
    HazardKind::kAssertion,   HazardKind::kStackOverflow};

// "global_race" -> "global race"
std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

// Reads "(1,0,0)", "1" or "1,2". The first number is required; the others default to 0.
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

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view each : split(text, ' '))
    if (!each.empty()) words.emplace_back(each);
  return words;
}

std::vector<std::string> strings_in(const Body& arguments, const char* key) {
  return arguments.value(key, std::vector<std::string>{});
}

std::string text_of(const Body& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// Reads `3`, `"3"` or `[1, 2]`, as `cudalab step` takes it.
Dim3 block_in(const Body& arguments) {
  return arguments.contains("block") ? triple_from(arguments["block"].dump()) : Dim3{0, 0, 0};
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return one == other || fs::equivalent(one, other, ignored);
}

class DebugAdapter {
 public:
  DebugAdapter(ProtocolStream& stream, const Console& console) : stream_(stream), console_(console) {}

  void run() {
    while (!is_over_) {
      serve_while([this] { return !is_configured_ || arguments_.is_null(); });
      if (!is_over_) begin();
    }
  }

 private:
  using Answer = Body (DebugAdapter::*)(const Body&);
  struct Request {
    std::string_view command;
    Answer answer;
    bool needs_launch = false;
  };
  static const std::vector<Request>& requests();

  // ---- messages ------------------------------------------------------------------------------------------
  std::string say(const Message& message) const { return console_.wording.say(message); }
  void event(const char* name, Body body = Body::object()) {
    stream_.send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
  }
  void print(const std::string& text, const char* category = "console") {
    event("output", {{"category", category}, {"output", text}});
  }
  void answer(const Body& request, bool success, Body body, const std::string& problem = "") {
    Body response{{"type", "response"},
                  {"request_seq", request.value("seq", 0)},
                  {"command", request.value("command", "")},
                  {"success", success},
                  {"body", std::move(body)}};
    if (!success) response["message"] = problem;
    stream_.send(std::move(response));
  }
  void refuse(const Body& request, const std::string& problem) {
    answer(request, false, {{"error", {{"id", 1}, {"format", problem}, {"showUser", true}}}}, problem);
  }

  template <class Condition>
  void serve_while(const Condition& goes_on) {
    while (!is_over_ && goes_on()) {
      const std::optional<Body> request = stream_.next();
      if (!request) return leave();
      handle(*request);
      for (const auto& follow : std::exchange(after_answer_, {})) follow();
    }
  }
  void leave() { is_over_ = is_ended_ = true; }

  // Answers every request, also unknown and malformed ones.
  void handle(const Body& request) {
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
  // The fields of a request that its response repeats, if they have the expected types.
  static Body numbered(const Body& request) {
    Body kept = Body::object();
    if (const auto seq = request.find("seq"); seq != request.end() && seq->is_number()) kept["seq"] = *seq;
    if (const auto command = request.find("command"); command != request.end() && command->is_string())
      kept["command"] = *command;
    return kept;
  }

  // ---- starting a session --------------------------------------------------------------------------------
  Body initialize(const Body&) {
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
            {"supportsSingleThreadExecutionRequests", true},
            {"exceptionBreakpointFilters", filters}};
  }
  Body launch(const Body& arguments) {
    set_target(arguments);
    return Body::object();
  }
  void set_target(const Body& arguments) {
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
  static void enter(const fs::path& folder) {
    std::error_code failed;
    fs::current_path(folder, failed);
    if (failed) throw usage_error(msg::debug_folder_unknown(folder.string()));
  }
  Body configuration_done(const Body&) { return is_configured_ = true, Body::object(); }

  // Runs the target up to the launch and serves the client there.
  void begin() {
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
  void debug(TargetLaunch& launch) {
    path_ = absolute_path(launch.path);
    debugger_.emplace(walked(launch), launch.source, console_.wording);
    debugger_->focus(block_in(arguments_), arguments_.value("warp", 0u));
    for (const Body& each : source_breakpoints_) verify(each);
    if (arguments_.value("stopOnEntry", true))
      told_of({.reason = Stop::kBegin});
    else
      told_of(proceed());
    serve_while([this] { return !is_ended_ && !is_restarting_; });
  }

  Body terminate(const Body&) { return is_ended_ = true, Body::object(); }
  Body disconnect(const Body&) { return is_ended_ = is_over_ = true, Body::object(); }
  Body restart(const Body& arguments) {
    if (arguments.contains("arguments")) set_target(arguments["arguments"]);
    return is_restarting_ = true, Body::object();
  }

  // ---- breakpoints ---------------------------------------------------------------------------------------
  Body set_breakpoints(const Body& arguments) {
    const std::string file = arguments.at("source").value("path", "");
    std::erase_if(source_breakpoints_, [&](const Body& each) { return each["path"] == file; });
    Body answers = Body::array();
    for (const Body& each : arguments.value("breakpoints", Body::array())) {
      Body kept = each;
      kept["path"] = file;
      kept["id"] = ++last_id_;
      kept["line"] = each.at("line").get<int>();
      source_breakpoints_.push_back(kept);
      answers.push_back(described(kept));
    }
    take_line_breakpoints();
    return {{"breakpoints", answers}};
  }
  bool is_in_launch(const Body& breakpoint) const {
    return is_same_file(path_, breakpoint["path"].get<std::string>());
  }
  Body described(const Body& breakpoint) const {
    Body answer{{"id", breakpoint["id"]}, {"line", breakpoint["line"]}};
    answer["verified"] = debugger_ && is_in_launch(breakpoint);
    if (debugger_ && !is_in_launch(breakpoint))
      answer["message"] = say(msg::debug_other_file(path_.string()));
    return answer;
  }
  void verify(const Body& breakpoint) {
    event("breakpoint", {{"reason", "changed"}, {"breakpoint", described(breakpoint)}});
    take_line_breakpoints();
  }
  void take_line_breakpoints() {
    std::vector<LineBreakpoint> lines;
    for (const Body& each : source_breakpoints_) {
      if (!debugger_ || !is_in_launch(each)) continue;
      LineBreakpoint breakpoint{.id = each["id"], .line = each["line"]};
      breakpoint.condition = each.value("condition", "");
      breakpoint.log = each.value("logMessage", "");
      if (const std::string hits = each.value("hitCondition", ""); !hits.empty())
        breakpoint.wanted_hits = triple_from(hits).x;  // ">= 3" and "3": stop from the third hit on
      const auto old = std::ranges::find(breakpoints_.lines, breakpoint.id, &LineBreakpoint::id);
      if (old != breakpoints_.lines.end()) breakpoint.hits = old->hits;
      lines.push_back(breakpoint);
    }
    breakpoints_.lines = std::move(lines);
  }
  Body set_function_breakpoints(const Body& arguments) {
    breakpoints_.functions.clear();
    Body answers = Body::array();
    for (const Body& each : arguments.value("breakpoints", Body::array())) {
      breakpoints_.functions.push_back({++last_id_, each.at("name").get<std::string>()});
      answers.push_back({{"id", last_id_}, {"verified", true}});
    }
    return {{"breakpoints", answers}};
  }
  Body set_exception_breakpoints(const Body& arguments) {
    breakpoints_.hazards.clear();
    for (const std::string& each : strings_in(arguments, "filters")) breakpoints_.hazards.insert(each);
    return Body::object();
  }

  // ---- running -------------------------------------------------------------------------------------------
  Stop proceed() {
    return debugger_->proceed(
        breakpoints_, [this] { return is_wanted(); }, [this](const std::string& text) { print(text); });
  }
  bool is_wanted() { return stream_.has_arrived({"pause", "disconnect", "terminate", "restart"}); }

  void select(const Body& arguments) {
    const int thread = arguments.value("threadId", kFirstThread + static_cast<int>(debugger_->warp()));
    const std::uint32_t warp = static_cast<std::uint32_t>(thread - kFirstThread);
    if (warp != debugger_->warp()) debugger_->focus(debugger_->block(), warp);
  }
  int thread_in_focus() const { return kFirstThread + static_cast<int>(debugger_->warp()); }

  // Sends the response, resumes the warp, then reports where it stopped.
  Body go(const Body& arguments, std::function<Stop()> how) {
    select(arguments);
    after_answer_.emplace_back([this, how = std::move(how)] {
      try {
        told_of(how());
      } catch (const Error& error) {
        print(say(error.message()) + "\n", "stderr");
        told_of({.reason = Stop::kPaused});
      }
    });
    return {{"allThreadsContinued", false}};
  }
  Body go_on(const Body& arguments) {
    return go(arguments, [this] { return has_reached_end_ ? end() : proceed(); });
  }
  Stop end() {
    is_ended_ = true;
    return {.reason = Stop::kEnd};
  }
  Body reverse(const Body& arguments) {
    return go(arguments, [this] {
      return debugger_->reverse(
          breakpoints_, [this] { return is_wanted(); }, [this](const std::string& text) { print(text); });
    });
  }
  Body next(const Body& arguments) {
    return go(arguments, [this] { return debugger_->step_over(breakpoints_); });
  }
  Body step_in(const Body& arguments) {
    return go(arguments, [this] { return debugger_->step_in(); });
  }
  Body step_out(const Body& arguments) {
    return go(arguments, [this] { return debugger_->step_out(breakpoints_); });
  }
  Body step_back(const Body& arguments) {
    return go(arguments, [this] { return debugger_->step_back(); });
  }
  Body pause(const Body&) {
    after_answer_.emplace_back([this] {
      if (last_.reason != Stop::kPaused) told_of({.reason = Stop::kPaused});
    });
    return Body::object();
  }

  struct StopName {
    Stop::Reason reason;
    const char* name;
  };
  static const char* name_of(Stop::Reason reason) {
    static constexpr StopName kNames[]{{Stop::kStep, "step"},
                                       {Stop::kBreakpoint, "breakpoint"},
                                       {Stop::kFunction, "function breakpoint"},
                                       {Stop::kHazard, "exception"},
                                       {Stop::kPaused, "pause"},
                                       {Stop::kBegin, "entry"},
                                       {Stop::kEnd, "step"}};
    return std::ranges::find(kNames, reason, &StopName::reason)->name;
  }
  void told_of(const Stop& stop) {
    last_ = stop;
    lists_.clear();
    has_reached_end_ = stop.reason == Stop::kEnd;
    if (is_ended_) return;
    Body body{{"reason", name_of(stop.reason)}, {"threadId", thread_in_focus()}, {"allThreadsStopped", true}};
    if (stop.breakpoint) body["hitBreakpointIds"] = {stop.breakpoint};
    if (stop.reason == Stop::kEnd) body["description"] = say(msg::debug_at_end());
    if (stop.reason == Stop::kHazard) {
      body["description"] = in_words(stop.kind);
      body["text"] = say(stop.what);
    }
    event("stopped", std::move(body));
  }
  Body exception_info(const Body&) {
    const std::string what = last_.kind.empty() ? say(msg::debug_no_hazard_here()) : say(last_.what);
    return {{"exceptionId", last_.kind.empty() ? "none" : last_.kind},
            {"description", what},
            {"breakMode", "always"},
            {"details", {{"message", last_.kind.empty() ? "" : say(last_.remedy)}}}};
  }

  // ---- threads, stack and variables ----------------------------------------------------------------------
  Body threads(const Body&) {
    Body threads = Body::array();
    for (std::uint32_t warp = 0; debugger_ && warp < debugger_->warps(); ++warp)
      threads.push_back({{"id", kFirstThread + static_cast<int>(warp)},
                         {"name", say(msg::debug_warp_of_block(coordinates(debugger_->block()), warp))}});
    return {{"threads", threads}};
  }
  Body stack_trace(const Body& arguments) {
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

  using List = std::function<std::vector<LaneVariable>()>;
  int kept(List list) {
    lists_.push_back(std::move(list));
    return static_cast<int>(lists_.size());
  }
  Body scopes(const Body& arguments) {
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
  // One row per lane: whether it is active, and its variables.
  std::vector<LaneVariable> lanes() {
    std::vector<LaneVariable> rows;
    const std::uint32_t active = debugger_->moment() ? debugger_->moment()->active : 0;
    for (std::uint32_t lane = 0; lane < vgpu::kWarpSize && debugger_->has_lane(lane); ++lane) {
      const Message state = active >> lane & 1 ? msg::debug_lane_active() : msg::debug_lane_inactive();
      rows.push_back({std::to_string(lane), "", coordinates(debugger_->thread_of(lane)) + " " + say(state),
                      debugger_->locals(lane)});
    }
    return rows;
  }
  Body variables(const Body& arguments) {
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
  Body shown(const LaneVariable& variable) {
    const auto parts = [variable] { return variable.parts; };
    return {{"name", variable.name},
            {"value", variable.value},
            {"type", variable.type},
            {"variablesReference", variable.parts.empty() ? 0 : kept(parts)}};
  }

  // ---- evaluation ----------------------------------------------------------------------------------------
  Body evaluate(const Body& arguments) {
    const std::string expression = arguments.at("expression").get<std::string>();
    const std::vector<std::string> words = words_of(expression);
    if (arguments.value("context", "") == "repl" && !words.empty()) {
      if (words[0] == "cuda") return result(moved(words));
      if (words[0] == "info") return result(information(words));
    }
    const std::uint32_t lane = debugger_->lane();
    if (const auto variable = debugger_->variable(expression, lane)) {
      Body answer = shown(*variable);
      answer["result"] = variable->value;
      if (variable->parts.empty()) answer["variablesReference"] = over_lanes(expression);
      return answer;
    }
    Body answer = result(report::significant(debugger_->evaluate(expression, lane), 9));
    answer["variablesReference"] = over_lanes(expression);
    return answer;
  }
  static Body result(const std::string& text) { return {{"result", text}, {"variablesReference", 0}}; }

  // Makes a variable with one child per active lane.
  int over_lanes(const std::string& expression) {
    return kept([this, expression] {
      std::vector<LaneVariable> values;
      const std::uint32_t active = debugger_->moment() ? debugger_->moment()->active : 0;
      for (std::uint32_t lane = 0; lane < vgpu::kWarpSize; ++lane)
        if (active >> lane & 1) values.push_back({std::to_string(lane), "", in_lane(expression, lane), {}});
      return values;
    });
  }
  std::string in_lane(const std::string& expression, std::uint32_t lane) {
    if (const auto variable = debugger_->variable(expression, lane)) return variable->value;
    try {
      return report::significant(debugger_->evaluate(expression, lane), 9);
    } catch (const Error& error) {
      return say(error.message());
    }
  }

  // `cuda block (1,0,0) thread (3,0,0)` and `cuda warp 2 lane 5`, as in cuda-gdb. Spaces inside parentheses
  // are removed.
  std::string moved(const std::vector<std::string>& words) {
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
    after_answer_.emplace_back([this] { told_of({.reason = Stop::kPaused}); });
    return say(msg::debug_focus(debugger_->launch().kernel, coordinates(debugger_->block()),
                                coordinates(debugger_->thread_of(debugger_->lane())), debugger_->warp(),
                                debugger_->lane()));
  }
  // `info cuda warps`, `info cuda lanes`
  std::string information(const std::vector<std::string>& words) {
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

  // The contents of the "Warp" view of an editor.
  Body warp(const Body&) {
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

  ProtocolStream& stream_;
  const Console& console_;
  Body arguments_;  // of the launch request; null before it
  TargetTexts texts_;
  Breakpoints breakpoints_;
  std::vector<Body> source_breakpoints_;
  std::optional<LaunchDebugger> debugger_;  // only while a launch is open
  fs::path path_;                           // of the launch's source file
  Stop last_;
  std::vector<List> lists_;  // valid until the next stop; index: variablesReference - 1
  std::vector<std::function<void()>> after_answer_;
  int last_id_ = 0;
  bool is_configured_ = false, is_over_ = false, is_ended_ = false, is_restarting_ = false;
  bool has_reached_end_ = false;  // the next `continue` ends the session
};

const std::vector<DebugAdapter::Request>& DebugAdapter::requests() {
  static const std::vector<Request> table{
      {"initialize", &DebugAdapter::initialize},
      {"launch", &DebugAdapter::launch},
      {"configurationDone", &DebugAdapter::configuration_done},
      {"setBreakpoints", &DebugAdapter::set_breakpoints},
      {"setFunctionBreakpoints", &DebugAdapter::set_function_breakpoints},
      {"setExceptionBreakpoints", &DebugAdapter::set_exception_breakpoints},
      {"threads", &DebugAdapter::threads},
      {"terminate", &DebugAdapter::terminate},
      {"disconnect", &DebugAdapter::disconnect},
      {"restart", &DebugAdapter::restart},
      {"stackTrace", &DebugAdapter::stack_trace, true},
      {"scopes", &DebugAdapter::scopes, true},
      {"variables", &DebugAdapter::variables, true},
      {"evaluate", &DebugAdapter::evaluate, true},
      {"continue", &DebugAdapter::go_on, true},
      {"reverseContinue", &DebugAdapter::reverse, true},
      {"next", &DebugAdapter::next, true},
      {"stepIn", &DebugAdapter::step_in, true},
      {"stepOut", &DebugAdapter::step_out, true},
      {"stepBack", &DebugAdapter::step_back, true},
      {"pause", &DebugAdapter::pause, true},
      {"exceptionInfo", &DebugAdapter::exception_info, true},
      {"cudalab/warp", &DebugAdapter::warp, true},
  };
  return table;
}

}  // namespace

void serve_debug_adapter(ProtocolStream& stream, const Console& console) {
  DebugAdapter(stream, console).run();
}

}  // namespace cudalab::cli
