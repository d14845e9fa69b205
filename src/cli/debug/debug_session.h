// A debug session: the requests of a client of the Debug Adapter Protocol, translated into calls of
// LaunchDebugger.
//
// The functions are defined in the file that is responsible for their group: debug_adapter.cpp serves
// messages and starts the target, breakpoint_requests.cpp sets breakpoints, control_requests.cpp moves
// through the launch, value_requests.cpp shows the stack and variables and changes variables,
// memory_requests.cpp shows memory and instructions, evaluation_requests.cpp evaluates expressions and
// console commands.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/debug/launch_debugger.h"
#include "cli/debug/protocol_stream.h"
#include "cli/step_target.h"
#include "cli/terminal/console.h"

namespace cudalab::cli {

inline constexpr int kFirstThread = 1;     // the thread ID of a warp is the warp's number plus this
inline constexpr int kFrameStride = 1024;  // a frame's ID is its thread ID times this, plus its depth

// "global_race" -> "global race"
std::string in_words(std::string name);
// Reads "(1,0,0)", "1" or "1,2". The first number is required; the others default to 0.
Dim3 triple_from(std::string_view text);
std::vector<std::string> strings_in(const nlohmann::json& arguments, const char* key);
// Reads `3`, `"3"` or `[1, 2]`, as `cudalab step` takes it.
Dim3 block_in(const nlohmann::json& arguments);
// An address as a memory reference, and back; the latter throws Error(kUsage) if it is none.
std::string memory_reference(std::uint64_t address);
std::uint64_t address_in(const std::string& reference);
// The reference of the listing's instruction with this index.
std::string instruction_reference(std::int64_t index);

class DebugSession {
 public:
  DebugSession(ProtocolStream& stream, const Console& console) : stream_(stream), console_(console) {}
  void run();

 private:
  using Body = nlohmann::json;
  using Answer = Body (DebugSession::*)(const Body&);
  struct Request {
    std::string_view command;
    Answer answer;
    bool needs_launch = false;
  };
  static const std::vector<Request>& requests();

  // ---- messages ------------------------------------------------------------------------------------------
  std::string say(const Message& message) const;
  void event(const char* name, Body body = Body::object());
  void print(const std::string& text, const char* category = "console");
  void answer(const Body& request, bool success, Body body, const std::string& problem = "");
  void refuse(const Body& request, const std::string& problem);
  void serve_while(const std::function<bool()>& goes_on);
  void leave();
  // Answers every request, also unknown and malformed ones.
  void handle(const Body& request);
  // The fields of a request that its response repeats, if they have the expected types.
  static Body numbered(const Body& request);

  // ---- starting a session --------------------------------------------------------------------------------
  Body initialize(const Body&);
  Body launch(const Body& arguments);
  void set_target(const Body& arguments);
  static void enter(const std::filesystem::path& folder);
  Body configuration_done(const Body&);
  // Runs the target up to the launch and serves the client there.
  void begin();
  void debug(TargetLaunch& launch);
  Body terminate(const Body&);
  Body disconnect(const Body&);
  Body restart(const Body& arguments);

  // ---- breakpoints ---------------------------------------------------------------------------------------
  Body set_breakpoints(const Body& arguments);
  bool is_in_launch(const Body& breakpoint) const;
  Body described(const Body& breakpoint) const;
  void verify(const Body& breakpoint);
  void take_line_breakpoints();
  Body set_function_breakpoints(const Body& arguments);
  Body set_exception_breakpoints(const Body& arguments);
  Body data_breakpoint_info(const Body& arguments);
  Body set_data_breakpoints(const Body& arguments);

  // ---- running -------------------------------------------------------------------------------------------
  Stop proceed();
  bool is_wanted();
  void select(const Body& arguments);
  int thread_in_focus() const;
  // Sends the response, resumes the warp, then reports where it stopped.
  Body go(const Body& arguments, std::function<Stop()> how);
  Body go_on(const Body& arguments);
  Stop end();
  Body reverse(const Body& arguments);
  Body next(const Body& arguments);
  Body step_in(const Body& arguments);
  Body step_out(const Body& arguments);
  Body step_back(const Body& arguments);
  Body pause(const Body&);
  void report_stop(const Stop& stop);
  Body exception_info(const Body&);

  // ---- threads, stack and variables ----------------------------------------------------------------------
  Body threads(const Body&);
  Body stack_trace(const Body& arguments);
  // Some variables of a list: at most `count`, from the index `first` on. Lists are read again each time they
  // are shown.
  using List = std::function<std::vector<LaneVariable>(std::size_t first, std::size_t count)>;
  int kept(List list);
  int kept_whole(std::function<std::vector<LaneVariable>()> list);
  const List& list_in(const Body& arguments) const;
  // The variable with this name in the list that `variablesReference` means.
  LaneVariable variable_in(const Body& arguments) const;
  std::vector<LaneVariable> global_buffers(std::uint32_t lane);
  Body scopes(const Body& arguments);
  // One row per lane: whether it is active, and its variables.
  std::vector<LaneVariable> lanes();
  Body variables(const Body& arguments);
  // `again`: reads the variable again.
  Body shown(const LaneVariable& variable, std::function<LaneVariable()> again);
  Body set_variable(const Body& arguments);

  // ---- memory and instructions ---------------------------------------------------------------------------
  Body read_memory(const Body& arguments);
  Body disassemble(const Body& arguments);
  Body source(const Body& arguments);
  // A source of the protocol for a file of the launch.
  Body source_of(const std::string& file) const;

  // ---- evaluation ----------------------------------------------------------------------------------------
  Body evaluate(const Body& arguments);
  static Body result(const std::string& text);
  // Makes a variable with one child per active lane.
  int over_lanes(const std::string& expression);
  std::string in_lane(const std::string& expression, std::uint32_t lane);
  // `cuda block (1,0,0) thread (3,0,0)` and `cuda warp 2 lane 5`, as in cuda-gdb. Spaces inside parentheses
  // are removed.
  std::string moved(const std::vector<std::string>& words);
  // `info cuda warps`, `info cuda lanes`
  std::string information(const std::vector<std::string>& words);
  // The contents of the "Warp" view of an editor.
  Body warp(const Body&);

  ProtocolStream& stream_;
  const Console& console_;
  Body arguments_;  // of the launch request; null before it
  TargetTexts texts_;
  Breakpoints breakpoints_;
  std::vector<Body> source_breakpoints_;
  std::optional<LaunchDebugger> debugger_;  // only while a launch is open
  std::filesystem::path path_;              // of the launch's source file
  Stop last_;
  std::vector<List> lists_;  // valid until the next stop; index: variablesReference - 1
  std::vector<std::function<void()>> after_answer_;
  int last_id_ = 0;
  bool is_configured_ = false, is_over_ = false, is_ended_ = false, is_restarting_ = false;
  bool takes_invalidated_ = false;  // whether the client handles the event `invalidated`
  bool has_reached_end_ = false;    // the next `continue` ends the session
};

}  // namespace cudalab::cli
