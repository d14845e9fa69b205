// A debug session: the requests of a client of the Debug Adapter Protocol, translated into calls of
// session::LaunchDebugger.
//
// The functions are defined in the file that is responsible for their group: debug_adapter.cpp serves
// messages and starts the target, breakpoint_requests.cpp sets breakpoints, control_requests.cpp moves
// through the launch, host_requests.cpp shows where host code has stopped, value_requests.cpp shows the stack
// and variables and changes variables, memory_requests.cpp shows memory and instructions,
// evaluation_requests.cpp evaluates expressions and console commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/debug/program_output.h"
#include "cli/debug/protocol_stream.h"
#include "cli/step_target.h"
#include "cli/terminal/console.h"
#include "session/launch_debugger.h"

namespace cudalab::cli {

using session::LaneVariable;
using session::LaunchDebugger;
using session::Stop;
using session::ValuePlace;

inline constexpr int kFirstThread = 1;     // the thread ID of a warp is the warp's number plus this
inline constexpr int kHostThread = 1000;   // of a program's host code
inline constexpr int kFrameStride = 1024;  // a frame's ID is its depth times this, plus its thread ID

inline constexpr const char* kApiErrors = "cuda_api_error";  // the exception filter
// The hazards with an exception filter, which has the name of report::name_of().
const std::vector<HazardKind>& stopping_hazards();

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

// Where the host code of a program has stopped.
struct HostStop {
  std::uint64_t number = 0;  // of the launch
  std::string kernel, error, call;
  Message why;
  std::vector<SourceLine> lines;  // innermost first
};

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
    enum Needs : std::uint8_t { kNothing, kStop, kLaunch } needs = kNothing;
  };
  static const std::vector<Request>& requests();

  // ---- messages ------------------------------------------------------------------------------------------
  std::string say(const Message& message) const;
  void event(const char* name, Body body = Body::object());
  void print(const std::string& text, const char* category = "console");
  // Output of log points. It is collected, because an editor cannot show 100,000 events per second.
  void log(const std::string& text);
  void flush_log();
  void forward_output();  // of the program
  void answer(const Body& request, bool success, Body body, const std::string& problem = "");
  void refuse(const Body& request, const std::string& problem, const std::string& reason = "");
  void serve_while(const std::function<bool()>& goes_on);
  void serve_next();
  void leave();
  bool is_missing(Request::Needs needs) const;
  // Answers every request, also unknown and malformed ones.
  void handle(const Body& request);
  // The fields of a request that its response repeats, if they have the expected types.
  static Body numbered(const Body& request);

  // ---- starting a session --------------------------------------------------------------------------------
  Body initialize(const Body&);
  Body launch(const Body& arguments);
  Body attach(const Body& arguments);
  void set_target(const Body& arguments);
  void set_start(const Body& arguments);
  static void enter(const std::filesystem::path& folder);
  Body configuration_done(const Body&);
  // Runs the target up to the launch and serves the client there.
  void begin();
  std::optional<int> run_target();
  device::ProgramNext debug(TargetLaunch& launch);
  bool open(TargetLaunch& launch);
  // Serves the client while the launch or the program is stopped. Returns what the program does then.
  device::ProgramNext serve_stop();
  // Serves the client while a program runs.
  device::ProgramWish serve_running();
  Body terminate(const Body&);
  Body disconnect(const Body& arguments);
  Body cancel(const Body&);
  Body restart(const Body& arguments);

  // ---- breakpoints ---------------------------------------------------------------------------------------
  Body set_breakpoints(const Body& arguments);
  Body breakpoint_locations(const Body& arguments);
  // A file of the launch, and the lines for which it has code.
  struct CodeFile {
    std::string name;  // as the launch names it
    std::filesystem::path path;
    std::set<int> lines;
  };
  std::vector<CodeFile> code_files();
  const CodeFile* code_file(const std::filesystem::path& path) const;
  // The line with code at which a breakpoint stops: its own, or the next one; 0: none.
  int line_of(const Body& breakpoint) const;
  Body described(const Body& breakpoint) const;
  void verify_all();
  void take_line_breakpoints();
  void take_trigger(session::Trigger& trigger, const Body& breakpoint);
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
  // The program leaves this stop, if it is one of a program; else the session ends.
  Body leave_stop();

  // ---- host code of a program ----------------------------------------------------------------------------
  static HostStop host_stop(const device::ProgramStop& stop);
  static HostStop stop_without_host(const TargetLaunch& launch);
  bool is_at_failure() const { return host_ && !host_->error.empty(); }
  Message failure() const;
  bool is_refused_launch() const;
  std::string failure_name() const;
  device::ProgramNext fail(const device::ProgramStop& stop);
  Body host_frames() const;

  // ---- threads, stack and variables ----------------------------------------------------------------------
  Body threads(const Body&);
  std::size_t depth_in(const Body& arguments);  // of `frameId`, whose thread gets the focus
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
  // Arguments, or the other variables of a frame.
  std::vector<LaneVariable> locals(std::uint32_t lane, std::size_t depth, bool are_arguments);
  Body scopes(const Body& arguments);
  std::string lane_state(std::uint32_t lane);
  // One row per lane: its state, and its variables.
  std::vector<LaneVariable> lanes();
  Body variables(const Body& arguments);
  // `again`: reads the variable again.
  Body shown(const LaneVariable& variable, std::function<LaneVariable()> again);
  static Body without_names(Body variable);
  Body set_variable(const Body& arguments);

  // ---- memory and instructions ---------------------------------------------------------------------------
  Body read_memory(const Body& arguments);
  Body disassemble(const Body& arguments);
  Body source(const Body& arguments);
  // A source of the protocol for a file of the launch.
  Body source_of(const std::string& file) const;
  std::filesystem::path path_of(const std::string& file) const;
  // Lines in messages may count from 0.
  int shown_line(int line) const { return line + line_offset_; }
  int line_in(const Body& body) const { return body.at("line").get<int>() - line_offset_; }

  // ---- evaluation ----------------------------------------------------------------------------------------
  Body evaluate(const Body& arguments);
  static Body result(const std::string& text);
  // Makes a variable with one child per active lane.
  int over_lanes(const std::string& expression, std::size_t depth);
  std::string in_lane(const std::string& expression, std::uint32_t lane, std::size_t depth);
  Body value_of(const std::string& expression, std::size_t depth);
  // `cuda block (1,0,0) thread (3,0,0)` and `cuda warp 2 lane 5`, as in cuda-gdb. Spaces inside parentheses
  // are removed.
  std::string moved(const std::vector<std::string>& words);
  std::string moved_to_launch(const std::string& number);
  // `info cuda warps`, `info cuda lanes`
  std::string information(const std::vector<std::string>& words);
  std::string warp_states();
  std::string kernel_line() const;
  // The contents of the "Warp" view of an editor.
  Body warp(const Body&);

  ProtocolStream& stream_;
  const Console& console_;
  const ProgramOutput output_;
  Body arguments_;  // of the request `launch` or `attach`; null before it
  TargetTexts texts_;
  std::optional<std::int64_t> process_;  // to attach to
  session::Breakpoints breakpoints_;
  bool stops_at_errors_ = true;  // of the API
  std::vector<Body> source_breakpoints_;
  std::map<int, Body> told_;                // what the client knows of them, by ID
  std::optional<LaunchDebugger> debugger_;  // only while a launch is open
  std::vector<CodeFile> code_;              // of that launch
  std::optional<HostStop> host_;            // only while a program is stopped
  std::uint64_t launch_number_ = 1;
  std::filesystem::path path_;  // of the launch's source file
  Stop last_;
  std::vector<List> lists_;  // valid until the next stop; index: variablesReference - 1
  std::vector<std::function<void()>> after_answer_;
  std::string next_launch_;  // at which a program stops next, as vgpu::StepUntil
  std::string log_;
  std::uint64_t log_left_out_ = 0;  // lines
  std::chrono::steady_clock::time_point log_flushed_{};
  int last_id_ = 0, line_offset_ = 0;
  bool is_configured_ = false, is_over_ = false, is_ended_ = false, is_restarting_ = false;
  bool is_attached_ = false, leaves_ = false;  // the program goes on alone after the session
  bool goes_on_ = false;                       // the program leaves its stop
  bool is_first_launch_ = true;                // the arguments name its block and warp
  bool is_entry_wanted_ = true;                // stop at the beginning of the next launch
  bool takes_invalidated_ = false;             // whether the client handles the event `invalidated`
  bool has_reached_end_ = false;               // the next `continue` leaves the launch
};

}  // namespace cudalab::cli
