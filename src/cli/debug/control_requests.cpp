// Requests that move through the launch, and the events that report where it stopped.
#include <algorithm>
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "messages/cli.h"
#include "report/text/values.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;

struct StopName {
  Stop::Reason reason;
  const char* name;
};
const char* name_of(Stop::Reason reason) {
  static constexpr StopName kNames[]{{Stop::kStep, "step"},
                                     {Stop::kBreakpoint, "breakpoint"},
                                     {Stop::kFunction, "function breakpoint"},
                                     {Stop::kData, "data breakpoint"},
                                     {Stop::kHazard, "exception"},
                                     {Stop::kPaused, "pause"},
                                     {Stop::kBegin, "entry"},
                                     {Stop::kEnd, "step"}};
  return std::ranges::find(kNames, reason, &StopName::reason)->name;
}

}  // namespace

Stop DebugSession::proceed() {
  return debugger_->proceed(
      breakpoints_, [this] { return is_wanted(); }, [this](const std::string& text) { log(text); });
}

bool DebugSession::is_wanted() {
  return stream_.has_arrived({"pause", "disconnect", "terminate", "restart"});
}

void DebugSession::select(const Body& arguments) {
  const int thread = arguments.value("threadId", thread_in_focus());
  if (!debugger_ || thread == kHostThread) return;
  const std::uint32_t warp = static_cast<std::uint32_t>(thread - kFirstThread);
  if (warp != debugger_->warp()) debugger_->focus(debugger_->block(), warp);
}

int DebugSession::thread_in_focus() const {
  return debugger_ ? kFirstThread + static_cast<int>(debugger_->warp()) : kHostThread;
}

Body DebugSession::leave_stop() {
  goes_on_ = true;
  return {{"allThreadsContinued", true}};
}

Body DebugSession::go(const Body& arguments, std::function<Stop()> how) {
  if (!debugger_) return leave_stop();
  select(arguments);
  after_answer_.emplace_back([this, how = std::move(how)] {
    try {
      report_stop(how());
    } catch (const Error& error) {
      print(say(error.message()) + "\n", "stderr");
      report_stop({.reason = Stop::kPaused});
    }
  });
  return {{"allThreadsContinued", false}};
}

// A program goes on to its next launch; other targets stop at the end of the launch first.
Body DebugSession::go_on(const Body& arguments) {
  return go(arguments, [this] {
    const Stop stop = has_reached_end_ ? Stop{.reason = Stop::kEnd} : proceed();
    return stop.reason == Stop::kEnd && (host_ || has_reached_end_) ? end() : stop;
  });
}

Stop DebugSession::end() {
  (host_ ? goes_on_ : is_ended_) = true;
  return {.reason = Stop::kEnd};
}

Body DebugSession::reverse(const Body& arguments) {
  return go(arguments, [this] {
    return debugger_->reverse(
        breakpoints_, [this] { return is_wanted(); }, [this](const std::string& text) { log(text); });
  });
}

Body DebugSession::next(const Body& arguments) {
  return go(arguments, [this] { return debugger_->step_over(breakpoints_, [this] { return is_wanted(); }); });
}

Body DebugSession::step_in(const Body& arguments) {
  return go(arguments, [this] { return debugger_->step_in(); });
}

Body DebugSession::step_out(const Body& arguments) {
  return go(arguments, [this] { return debugger_->step_out(breakpoints_, [this] { return is_wanted(); }); });
}

Body DebugSession::step_back(const Body& arguments) {
  return go(arguments, [this] { return debugger_->step_back(); });
}

Body DebugSession::pause(const Body&) {
  if (!debugger_ && !host_) return is_entry_wanted_ = true, Body::object();  // at the next launch
  after_answer_.emplace_back([this] {
    if (last_.reason != Stop::kPaused) report_stop({.reason = Stop::kPaused});
  });
  return Body::object();
}

void DebugSession::report_stop(const Stop& stop) {
  last_ = stop;
  lists_.clear();
  has_reached_end_ = stop.reason == Stop::kEnd;
  flush_log();
  forward_output();  // what the program printed before it stopped
  if (is_ended_ || goes_on_) return;
  Body body{{"reason", name_of(stop.reason)}, {"threadId", thread_in_focus()}, {"allThreadsStopped", true}};
  if (stop.breakpoint) body["hitBreakpointIds"] = {stop.breakpoint};
  if (stop.reason == Stop::kEnd) {  // VS Code shows the description beside the thread's name, so it is short
    body["description"] = say(msg::debug_launch_ended());
    body["text"] = say(msg::debug_at_end());
  }
  if (stop.reason == Stop::kHazard) {
    body["description"] =
        is_at_failure() ? failure_name() : in_words(std::string(report::name_of(*stop.hazard)));
    body["text"] = say(is_at_failure() ? failure() : stop.what);
  }
  event("stopped", std::move(body));
}

// The remedy is also the stack trace: of the details, VS Code shows that alone.
Body DebugSession::exception_info(const Body&) {
  const auto answer = [&](const std::string& id, const std::string& what, const std::string& remedy) {
    return Body{{"exceptionId", id},
                {"description", what},
                {"breakMode", "always"},
                {"details", {{"message", remedy}, {"stackTrace", remedy}}}};
  };
  if (is_at_failure())
    return answer(is_refused_launch() ? host_->error : kApiErrors, say(failure()), host_->error);
  if (!last_.hazard) return answer("none", say(msg::debug_no_hazard_here()), "");
  return answer(std::string(report::name_of(*last_.hazard)), say(last_.what), say(last_.remedy));
}

}  // namespace cudalab::cli
