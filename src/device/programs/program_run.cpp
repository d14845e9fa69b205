// Runs a program on the virtual GPU, receives its records, and shows where it stops.
#include "device/programs/program_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/child_process.h"
#include "core/processes/interruption.h"
#include "core/processes/this_process.h"
#include "core/programs/elf_file.h"
#include "core/programs/program_record.h"
#include "core/programs/program_variant.h"
#include "core/text.h"
#include "core/work_budget.h"
#include "device/programs/listener.h"
#include "device/programs/program_objection.h"
#include "messages/device.h"
#include "vgpu/stepping/step_messages.h"

namespace cudalab::device {

namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 100;
constexpr double kGraceSeconds = 1;  // between a request to end and the forced end

// ---- progress messages ---------------------------------------------------------------------------------

// "matmul, launch 12: 8 s so far, about 40 s in all"
Message progress_of(const ProgramLog& log, double seconds) {
  if (log.expected_seconds > seconds)
    return msg::progress_of_launch_expected(log.running, log.launches, seconds, log.expected_seconds);
  return msg::progress_of_launch(log.running, log.launches, seconds);
}

// Reports the process that has been running the same kernel for the longest time.
class BusyWith {
 public:
  explicit BusyWith(const ProgramRequest& request) : progress_(request.progress) {}
  ~BusyWith() { fall_silent(); }
  BusyWith(const BusyWith&) = delete;
  BusyWith& operator=(const BusyWith&) = delete;

  void look_at(const std::vector<ProgramLog>& logs) {
    if (!progress_) return;
    began_.resize(logs.size());
    std::size_t longest = 0;
    double seconds = 0;
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (const double own = seconds_of(logs[i], began_[i]); own > seconds) longest = i, seconds = own;
    if (seconds <= kWorthSaying) return fall_silent();
    progress_(progress_of(logs[longest], seconds));
    has_spoken_ = true;
  }

 private:
  static constexpr double kWorthSaying = 1;  // seconds
  struct Began {
    std::uint64_t launch = 0;
    double at = 0;
  };
  static double seconds_of(const ProgramLog& log, Began& began) {
    if (log.running.empty()) return 0;
    if (began.launch != log.launches) began = {log.launches, now_seconds()};
    return now_seconds() - began.at;
  }
  void fall_silent() {
    if (std::exchange(has_spoken_, false)) progress_({});
  }

  const std::function<void(const Message&)>& progress_;
  std::vector<Began> began_;  // by log
  bool has_spoken_ = false;
};

}  // namespace

// ---- standard streams ------------------------------------------------------------------------------------

// Temporary files that replace the standard streams of the program.
class KeptStreams {
 public:
  explicit KeptStreams(const std::string& input) {
    std::ofstream(folder_ / "input", std::ios::binary) << input;
    input_.emplace(::open((folder_ / "input").c_str(), O_RDONLY | O_CLOEXEC));
    output_.emplace(made("output"));
    errors_.emplace(made("errors"));
  }
  int input() const { return input_->number(); }
  int output() const { return output_->number(); }
  int errors() const { return errors_->number(); }
  std::string written_output() const { return read_content(folder_ / "output").bytes; }
  std::string written_errors() const { return read_content(folder_ / "errors").bytes; }

 private:
  int made(const char* name) const {
    constexpr int kReadsAndWrites = 0600;
    const int file =
        ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kReadsAndWrites);
    if (file < 0)
      throw unavailable_error(msg::program_output_not_kept(folder_.path().string(), std::strerror(errno)));
    return file;
  }

  TemporaryFolder folder_{"cudalab-streams-"};
  std::optional<Descriptor> input_, output_, errors_;
};

namespace {

// ---- the program ---------------------------------------------------------------------------------------

// The value, followed by the current value of the variable.
std::string put_first(const char* name, const std::string& value) {
  const char* before = std::getenv(name);
  return before && *before ? value + ":" + before : value;
}

using Environment = std::vector<std::pair<std::string, std::string>>;

Environment with_settings(Environment environment, const ProgramRequest& request) {
  const Environment settings{{"CUDALAB_CARD", request.card},
                             {"CUDALAB_PREDICT", request.launch.predict ? "on" : "off"},
                             {"CUDALAB_RECORD", request.launch.record_uses ? "uses"
                                                : request.launch.record    ? "on"
                                                                           : "off"},
                             {"CUDALAB_CHECK", std::string(name_in(kCheckNames, request.launch.checks))},
                             {"CUDALAB_MAX_STEPS", std::to_string(request.launch.max_steps)},
                             {"CUDALAB_GPUS", std::to_string(request.gpus)},
                             {"CUDALAB_SEED", std::to_string(request.seed)},
                             {"CUDALAB_SAMPLE", request.is_sample ? "on" : "off"},
                             {"CUDALAB_VIRTUAL_CLOCK", request.has_virtual_clock ? "on" : "off"}};
  environment.insert(environment.end(), settings.begin(), settings.end());
  return environment;
}

// The folders of a toolkit that contain libraries of the program, such as NVRTC, which are not beside the
// runtime. They come last, because the user's own choice has precedence.
std::string toolkit_folders_for(const ProgramRequest& request, const fs::path& beside) {
  std::string folders;
  const MappedFile file(compile::find_program(request.words.front()).value_or(request.words.front()).c_str());
  if (!is_elf(file.bytes())) return folders;
  for (const std::string& library : needed_libraries(file.bytes())) {
    if (is_there(beside / library)) continue;
    const auto found = compile::find_library_file(library);
    if (found && folders.find(found->parent_path().string()) == std::string::npos)
      folders += ":" + found->parent_path().string();
  }
  return folders;
}

Environment environment_for(const ProgramRequest& request, const Listener& listener) {
  if (request.on_card && request.libraries.empty()) return {};
  if (request.on_card) return {{"LD_LIBRARY_PATH", put_first("LD_LIBRARY_PATH", request.libraries.string())}};
  const fs::path library = runtime_library();
  Environment environment{{"LD_PRELOAD", put_first("LD_PRELOAD", library.string())},
                          {"LD_LIBRARY_PATH", put_first("LD_LIBRARY_PATH", library.parent_path().string()) +
                                                  toolkit_folders_for(request, library.parent_path())},
                          {"CUDALAB_RECORDS", listener.path()}};
  const auto stop_at = [&](const std::string& socket, const vgpu::StepUntil& until) {
    environment.emplace_back(vgpu::kStepVariable, socket);
    environment.emplace_back(vgpu::kStepLaunchVariable, until.launch);
    environment.emplace_back(vgpu::kStepErrorsVariable, until.at_errors ? "on" : "");
  };
  if (request.look) stop_at(listener.path_of("step"), request.until);
  if (request.meeting) stop_at(request.debugger.listener, request.debugger.until);
  if (request.meeting) environment.emplace_back(vgpu::kStepStaysVariable, "on");
  return with_settings(std::move(environment), request);
}

// Paths inside the sandbox.
constexpr const char *kLibrariesInside = "/", *kRecordsInside = "/records";

std::string inside(const fs::path& library) { return kLibrariesInside + library.filename().string(); }

std::vector<std::string> words_in_sandbox(const ProgramRequest& request, const std::string& socket) {
  SandboxPlan plan;
  const fs::path program = request.words.front();
  plan.folder = program.parent_path();
  const fs::path runtime = runtime_library();
  plan.shown = {{runtime, inside(runtime)}, {socket, kRecordsInside}};
  for (const fs::path& library : further_libraries()) plan.shown.emplace_back(library, inside(library));
  // For the threads of the runtime library.
  plan.processes += 2 * std::uint64_t{std::thread::hardware_concurrency()};
  plan.environment = with_settings({{"LD_PRELOAD", inside(runtime)},
                                    {"LD_LIBRARY_PATH", kLibrariesInside},
                                    {"CUDALAB_RECORDS", kRecordsInside}},
                                   request);
  std::vector<std::string> words = request.words;
  words.front() = fs::path(kSandboxFolder) / program.filename();
  constexpr mode_t kForAll = 0666;
  ::chmod(socket.c_str(), kForAll);
  return in_sandbox(plan, words);
}

// Starts the program with its own streams and a guard that ends it together with this process. `more`:
// variables of its environment, outside the sandbox.
pid_t start_apart(const ProgramRequest& request, const Listener& listener, const KeptStreams& streams,
                  const Environment& more = {}) {
  ChildPlan plan;
  plan.words = request.is_strangers ? words_in_sandbox(request, listener.path()) : request.words;
  if (!request.is_strangers) plan.environment = environment_for(request, listener);
  plan.environment.insert(plan.environment.end(), more.begin(), more.end());
  plan.input = streams.input();
  plan.output = streams.output();
  plan.errors = streams.errors();
  plan.has_guard = true;
  plan.limits_cpu = request.processor_seconds > 0;
  ChildLimits limits;
  limits.cpu_seconds = request.processor_seconds;
  limits.memory_bytes = RLIM_INFINITY;  // the device's address space is large; the sandbox has its own limit
  limits.file_bytes = kLargestText;
  return start_child(plan, limits);
}

// Ctrl-C also reaches the program, which is in the same process group. The program decides how to react.
class LeaveSignalsToTheProgram {
 public:
  LeaveSignalsToTheProgram() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ignore, &before_[i]);
  }
  ~LeaveSignalsToTheProgram() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  LeaveSignalsToTheProgram(const LeaveSignalsToTheProgram&) = delete;
  LeaveSignalsToTheProgram& operator=(const LeaveSignalsToTheProgram&) = delete;

 private:
  static constexpr std::array<int, 2> kSignals{SIGINT, SIGQUIT};
  std::array<struct sigaction, 2> before_{};
};

constexpr int kSignalBase = 128;

int code_of(int status) { return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status); }

// Ends the program at the deadline: first with a request, then by force.
void enforce(pid_t program, bool is_apart, double deadline, ProgramOutcome& outcome) {
  if (deadline <= 0 || now_seconds() < deadline) return;
  if (is_apart) end_child(program, true);
  if (!is_apart && outcome.is_timed_out && now_seconds() > deadline + kGraceSeconds)
    return end_child(program, true);
  if (!is_apart && !outcome.is_timed_out) ask_to_end(program);
  outcome.is_timed_out = true;
}

// Shows what the program does to those who look at it: stops, and requests to end it.
void look_at_stops(pid_t program, const ProgramRequest& request, StopListener* stops,
                   std::optional<LeaveSignalsToTheProgram>& signals) {
  if (stops) stops->look();
  if (stops && stops->has_seen()) signals.reset();  // signals now reach the viewer, not the program
  const bool is_unwanted = (stops && stops->ends()) || (request.wish && request.wish() != ProgramWish::kGoOn);
  pollfd asked{request.meeting ? request.meeting->awaited() : -1, POLLIN, 0};
  const bool is_ended = ::poll(&asked, 1, 0) > 0 && request.meeting->ends_program();
  if (is_unwanted || is_ended) end_child(program, true);
}

void watch(pid_t program, const ProgramRequest& request, Listener& listener, StopListener* stops,
           std::optional<LeaveSignalsToTheProgram>& signals, ProgramOutcome& outcome) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  const double deadline = request.timeout_seconds > 0 ? now_seconds() + request.timeout_seconds : 0;
  BusyWith busy(request);
  int status = 0;
  while (::waitpid(program, &status, WNOHANG) == 0) {
    const int also[]{handle, stops ? stops->awaited() : -1,
                     request.meeting ? request.meeting->awaited() : -1};
    listener.listen(kPollMs, also);
    look_at_stops(program, request, stops, signals);
    busy.look_at(listener.logs());
    enforce(program, request.input.has_value(), deadline, outcome);
  }
  if (handle >= 0) ::close(handle);
  outcome.is_seen = stops && stops->has_seen();
  outcome.exit_code = code_of(status);
  constexpr int kMostRounds = 1'000'000;  // rounds of reading what the program has already sent
  for (int i = 0; i < kMostRounds && listener.listen(0, {}); ++i) continue;
}

}  // namespace

fs::path runtime_library() {
  const std::string_view name = kProgramLibraries.front();
  const fs::path here = this_program().parent_path();
  const std::array<fs::path, 2> places{here / "runtime" / name,
                                       here.parent_path() / CUDALAB_LIBRARY_DIRECTORY / "cudalab" / name};
  for (const fs::path& place : places)
    if (is_there(place)) return place;
  throw unavailable_error(msg::runtime_library_missing(std::string(name), places[0].parent_path().string(),
                                                       places[1].parent_path().string()));
}

std::vector<fs::path> further_libraries() {
  const fs::path folder = runtime_library().parent_path();
  std::vector<fs::path> found;
  for (const std::string_view name : kProgramLibraries)
    if (name != kProgramLibraries.front() && is_there(folder / name)) found.push_back(folder / name);
  return found;
}

ProgramOutcome run_watched(const ProgramRequest& request) {
  if (!request.on_card) {
    require_runnable(request.words.front());
    runtime_library();
  }
  if (request.is_strangers) require_sandbox();
  ProgramOutcome outcome;
  Listener listener(request.each_launch);
  std::optional<KeptStreams> streams;
  if (request.input) streams.emplace(*request.input);
  std::optional<StopListener> stops;
  if (request.look) stops.emplace(listener.path_of("step"), request.look);
  std::optional<NoInterrupt> until_it_is_noted(std::in_place);
  const pid_t program = streams ? start_apart(request, listener, *streams)
                                : start_alongside(request.words, environment_for(request, listener));
  const EndOnInterrupt on_interrupt(program, true);
  until_it_is_noted.reset();
  std::optional<LeaveSignalsToTheProgram> signals;
  if (!streams) signals.emplace();
  watch(program, request, listener, stops ? &*stops : nullptr, signals, outcome);
  if (stops) stops->rethrow();
  if (streams) {
    outcome.output = streams->written_output();
    outcome.errors = streams->written_errors();
  }
  outcome.logs = listener.take_logs();
  for (ProgramLog& log : outcome.logs) {
    log.arguments = request.words;
    log.is_sample = request.is_sample;
    log.exit_code = outcome.exit_code;
    if (outcome.is_timed_out) log.stopped = msg::ended_by_timeout(request.timeout_seconds);
  }
  return outcome;
}

// ---- variants ------------------------------------------------------------------------------------------

struct ProgramVariants::Parts {
  explicit Parts(const ProgramRequest& request)
      : streams(*request.input),
        door(listening_socket(listener.path_of("variants"))),
        program(
            start_apart(request, listener, streams, {{kVariantsVariable, listener.path_of("variants")}})) {}
  ~Parts() {
    connection.reset();
    end_child(program, true);
    ::waitpid(program, nullptr, 0);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void wait_for_connection(double seconds);

  Listener listener{false};
  KeptStreams streams;
  Descriptor door;
  TemporaryFolder folder{"cudalab-variants-"};
  pid_t program;
  std::optional<Descriptor> connection;
};

void ProgramVariants::Parts::wait_for_connection(double seconds) {
  const double deadline = now_seconds() + seconds;
  while (now_seconds() < deadline) {
    const std::array<int, 1> news{door.number()};
    listener.listen(kPollMs, news);
    if (const int accepted = ::accept4(door.number(), nullptr, nullptr, SOCK_CLOEXEC); accepted >= 0) {
      connection.emplace(accepted);
      return;
    }
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(program), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid)
      break;
  }
  throw unavailable_error(msg::program_has_no_variants());
}

ProgramVariants::ProgramVariants(const ProgramRequest& request, double seconds)
    : parts_(std::make_unique<Parts>(request)) {
  parts_->wait_for_connection(seconds);
}

ProgramVariants::~ProgramVariants() = default;

ProgramOutcome ProgramVariants::outcome(ProgramVariant variant) {
  Parts& parts = *parts_;
  parts.listener.forget();
  variant.output = (parts.folder.path() / "output").string();
  const int socket = parts.connection->number();
  if (!send_fields(socket, fields_of(variant))) throw unavailable_error(msg::program_has_no_variants());
  pollfd answer{socket, POLLIN, 0};
  while (::poll(&answer, 1, 0) == 0) parts.listener.listen(kPollMs, std::array{socket});
  const auto fields = receive_fields(socket).fields;
  const auto status = fields && fields->size() == 1 ? natural(fields->front()) : std::nullopt;
  if (!status) throw unavailable_error(msg::program_has_no_variants());
  while (parts.listener.listen(0, {})) continue;
  ProgramOutcome outcome;
  outcome.exit_code = code_of(static_cast<int>(*status));
  outcome.is_timed_out = outcome.exit_code == kSignalBase + SIGALRM;
  outcome.output = read_content(variant.output).bytes;
  outcome.logs = parts.listener.take_logs();
  return outcome;
}

}  // namespace cudalab::device
