// A socket in a folder of its own; every process that calls CUDA connects to it.
#include "device/programs/program_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_process.h"
#include "core/processes/interruption.h"
#include "core/processes/this_program.h"
#include "core/programs/record_stream.h"
#include "core/temporary_folder.h"
#include "device/programs/program_objection.h"

namespace cudalab::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryName = "libcudart.so.13";
constexpr int kPollMs = 100;
constexpr double kGraceSeconds = 1;  // between a request to end and the end

// ---- listening -----------------------------------------------------------------------------------------

class Listener {
 public:
  explicit Listener(bool each_launch) : each_launch_(each_launch) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path().size() >= sizeof address.sun_path) throw cannot_listen(ENAMETOOLONG);
    std::strcpy(address.sun_path, path().c_str());
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    constexpr int kWaiting = 128;
    if (socket_ < 0 || ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket_, kWaiting) != 0)
      throw cannot_listen(errno);
  }
  ~Listener() {
    for (const auto& [connection, speaker] : speakers_) ::close(connection);
    if (socket_ >= 0) ::close(socket_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string path() const { return (folder_ / "records").string(); }
  // Until something came, or `wait_ms` have passed. Whether something came.
  bool listen(int wait_ms, int also);
  std::vector<ProgramLog> take_logs() { return std::move(logs_); }

 private:
  struct Speaker {
    RecordReader reader;
    std::size_t log;
  };
  Error cannot_listen(int reason) const {
    return unavailable_error(
        "cannot listen to the program at {}: {}; set TMPDIR to a folder with a short path", path(),
        std::strerror(reason));
  }
  void accept_all();
  bool read_from(int connection, Speaker& speaker);

  TemporaryFolder folder_{"cudalab-run-"};
  bool each_launch_;
  int socket_ = -1;
  std::map<int, Speaker> speakers_;
  std::vector<ProgramLog> logs_;
};

void Listener::accept_all() {
  while (true) {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    speakers_[connection].log = logs_.size();
    logs_.emplace_back();
  }
}

// Whether the connection stays: what a program says that is no record ends it.
bool Listener::read_from(int connection, Speaker& speaker) {
  static std::array<char, 1 << 18> piece;
  const ssize_t bytes = ::read(connection, piece.data(), piece.size());
  if (bytes < 0) return errno == EAGAIN || errno == EINTR;
  if (bytes == 0) return false;
  try {
    speaker.reader.add({piece.data(), static_cast<std::size_t>(bytes)});
    while (auto record = speaker.reader.next()) add(logs_[speaker.log], std::move(*record), each_launch_);
  } catch (const Error& error) {
    logs_[speaker.log].stopped = error.what();
    return false;
  }
  return true;
}

bool Listener::listen(int wait_ms, int also) {
  std::vector<pollfd> waited{{socket_, POLLIN, 0}, {also, POLLIN, 0}};
  for (const auto& [connection, speaker] : speakers_) waited.push_back({connection, POLLIN, 0});
  if (::poll(waited.data(), waited.size(), wait_ms) <= 0) return false;
  bool came = false;
  for (std::size_t i = 2; i < waited.size(); ++i) {
    if (!waited[i].revents) continue;
    came = true;
    if (read_from(waited[i].fd, speakers_.at(waited[i].fd))) continue;
    ::close(waited[i].fd);
    speakers_.erase(waited[i].fd);
  }
  if (waited[0].revents) accept_all(), came = true;
  return came;
}

// ---- the program ---------------------------------------------------------------------------------------

// In front of what the variable holds already.
std::string put_first(const char* name, const std::string& value) {
  const char* before = std::getenv(name);
  return before && *before ? value + ":" + before : value;
}

std::vector<std::pair<std::string, std::string>> environment_for(const ProgramRequest& request,
                                                                 const std::string& socket) {
  const fs::path library = runtime_library();
  return {{"LD_PRELOAD", put_first("LD_PRELOAD", library.string())},
          {"LD_LIBRARY_PATH", put_first("LD_LIBRARY_PATH", library.parent_path().string())},
          {"CUDALAB_RECORDS", socket},
          {"CUDALAB_CARD", request.card},
          {"CUDALAB_CHECK", request.checks},
          {"CUDALAB_MAX_STEPS", std::to_string(request.max_steps)},
          {"CUDALAB_GPUS", std::to_string(request.gpus)}};
}

// Ctrl-C goes to the program as well, which is in the same group: it decides what comes of it.
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

// Ends the program when its time is over: first asks, then insists.
void enforce(pid_t program, double deadline, ProgramOutcome& outcome) {
  if (deadline <= 0 || now_seconds() < deadline) return;
  if (outcome.is_timed_out && now_seconds() > deadline + kGraceSeconds) return end_child(program, true);
  if (!outcome.is_timed_out) ask_to_end(program);
  outcome.is_timed_out = true;
}

void watch(pid_t program, const ProgramRequest& request, Listener& listener, ProgramOutcome& outcome) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  const double deadline = request.timeout_seconds > 0 ? now_seconds() + request.timeout_seconds : 0;
  int status = 0;
  while (::waitpid(program, &status, WNOHANG) == 0) {
    listener.listen(kPollMs, handle);
    enforce(program, deadline, outcome);
  }
  if (handle >= 0) ::close(handle);
  outcome.exit_code = code_of(status);
  constexpr int kMostRounds = 1'000'000;  // of what it has said already
  for (int i = 0; i < kMostRounds && listener.listen(0, -1); ++i) continue;
}

}  // namespace

fs::path runtime_library() {
  const fs::path here = this_program().parent_path();
  const std::array<fs::path, 2> places{
      here / "runtime" / kLibraryName,
      here.parent_path() / CUDALAB_LIBRARY_DIRECTORY / "cudalab" / kLibraryName};
  for (const fs::path& place : places)
    if (is_there(place)) return place;
  throw unavailable_error("{} of cudalab is neither in {} nor in {}; build or install cudalab again",
                          kLibraryName, places[0].parent_path().string(), places[1].parent_path().string());
}

ProgramOutcome run_watched(const ProgramRequest& request) {
  require_runnable(request.words.front());
  runtime_library();
  ProgramOutcome outcome;
  Listener listener(request.each_launch);
  std::optional<NoInterrupt> until_it_is_noted(std::in_place);
  const pid_t program = start_alongside(request.words, environment_for(request, listener.path()));
  const EndOnInterrupt on_interrupt(program, true);
  until_it_is_noted.reset();
  const LeaveSignalsToTheProgram signals;
  watch(program, request, listener, outcome);
  outcome.logs = listener.take_logs();
  for (ProgramLog& log : outcome.logs) {
    log.arguments = request.words;
    log.exit_code = outcome.exit_code;
    if (outcome.is_timed_out) log.stopped = fmt::format("--timeout {} ended it", request.timeout_seconds);
  }
  return outcome;
}

}  // namespace cudalab::device
