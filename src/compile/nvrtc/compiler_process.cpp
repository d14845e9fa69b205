// Runs NVRTC in a separate process that is kept between compilations, within limits on time and memory.
#include "compile/nvrtc/compiler_process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "compile/compile_cache.h"
#include "compile/nvrtc/task.h"
#include "compile/toolkit.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_process.h"
#include "core/processes/interruption.h"
#include "core/programs/program_record.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

double number_in(const char* variable, double otherwise) {
  const double number = std::atof(environment(variable).value_or("").c_str());
  return number > 0 ? std::min(number, 1e9) : otherwise;
}

constexpr double kMiB = 1 << 20;

// This process's own limit.
double own_limit(int what, double unit) {
  rlimit own{};
  const bool is_limited =
      ::getrlimit(static_cast<__rlimit_resource>(what), &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<double>(own.rlim_cur) / unit : std::numeric_limits<double>::infinity();
}

// The advice names the source of the limit.
Message advice(bool is_our_own, const char* ulimit, const char* variable) {
  return is_our_own ? msg::advice_raise_ulimit(ulimit) : msg::advice_raise_variable(variable);
}

Message message_of(CompilerStopped::Cause cause, const CompileLimits& limits, const Message& how) {
  switch (cause) {
    case CompilerStopped::kTime:
      return msg::compiler_took_time(limits.seconds, advice(limits.seconds >= own_limit(RLIMIT_CPU, 1),
                                                            "ulimit -t", "CUDALAB_COMPILE_SECONDS"));
    case CompilerStopped::kMemory:
      return msg::compiler_needed_memory(
          limits.memory_mib,
          advice(limits.memory_mib >= own_limit(RLIMIT_AS, kMiB), "ulimit -v", "CUDALAB_COMPILE_MIB"));
    case CompilerStopped::kCrash: break;
  }
  return msg::compiler_crashed(how);
}

}  // namespace

CompileLimits compile_limits(const CompileLimits& usual) {
  return {std::min(number_in("CUDALAB_COMPILE_SECONDS", usual.seconds), own_limit(RLIMIT_CPU, 1)),
          std::min(number_in("CUDALAB_COMPILE_MIB", usual.memory_mib), own_limit(RLIMIT_AS, kMiB))};
}

bool says_out_of_memory(std::string_view log) {
  return log.find("catastrophic error: out of memory") != std::string_view::npos;
}

CompilerStopped::CompilerStopped(const std::string& file_name, Cause cause, const CompileLimits& limits,
                                 const Message& how)
    : CompileError({.where = {file_name}, .instead = msg::compiler_stopped(message_of(cause, limits, how))},
                   ""),
      cause_(cause) {}

namespace {

constexpr double kBeginSeconds = 60, kFindSeconds = 60;
// The server limits its processor time itself; the wall-clock time also depends on other processes.
constexpr double kSecondsOfABusyMachine = 4;  // wall-clock seconds allowed per second of processor time
constexpr std::uint64_t kLargestWritten = 64u << 20;  // the largest file that NVRTC may write

// How the server ended, and the resources that it had used.
struct ServerEnd {
  bool was_late = false;
  int status = 0;
  rusage used{};
};

// A flag that this process shares with its children.
class SharedFlag {
 public:
  SharedFlag() {
    void* page = ::mmap(nullptr, sizeof(Flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw no_process_error(errno);
    flag_ = new (page) Flag(false);
  }
  ~SharedFlag() { ::munmap(flag_, sizeof(Flag)); }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  void set(bool value) { flag_->store(value); }
  bool is_set() const { return flag_->load(); }

 private:
  using Flag = std::atomic<bool>;
  Flag* flag_ = nullptr;
};

class Server {
 public:
  explicit Server(const CompileLimits& limits) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw no_process_error(errno);
    const Descriptor theirs(ends[1]);
    socket_.emplace(ends[0]);
    const NoInterrupt until_it_is_noted;
    process_ = start_child(
        {.words = words_of_server(theirs.number()), .inherited = theirs.number(), .limits_cpu = false},
        {.memory_bytes = static_cast<std::uint64_t>(limits.memory_mib) << 20, .file_bytes = kLargestWritten});
    on_interrupt_.emplace(process_);
  }
  ~Server() {
    if (is_ours()) end();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool is_ours() const { return owner_ == ::getpid(); }  // not a parent's server, inherited by fork
  bool is_lent_to_us() const { return is_lent_ && owner_ == ::getppid(); }
  bool is_idle() const { return !works_.is_set() && !has_ended(); }
  void lend(bool to_child) { is_lent_ = to_child; }

  bool send(const Fields& request) {
    works_.set(true);
    return send_fields(socket_->number(), request);
  }
  Received receive(double seconds) {
    const auto patience =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    return receive_fields(socket_->number(), std::chrono::steady_clock::now() + patience);
  }
  void has_answered() { works_.set(false); }

  // Ends the server if it still runs. Only the owner learns its exit status.
  ServerEnd end() {
    ServerEnd end;
    if (process_ < 0) return end;
    ::shutdown(socket_->number(), SHUT_RDWR);
    if (!has_ended()) end_child(process_, false);
    if (!is_ours()) return end;
    while (::wait4(process_, &end.status, 0, &end.used) < 0 && errno == EINTR) continue;
    on_interrupt_.reset();
    process_ = -1;
    return end;
  }

 private:
  bool has_ended() const {
    siginfo_t ended{};
    constexpr int kLook = WEXITED | WNOHANG | WNOWAIT;
    return ::waitid(P_PID, static_cast<id_t>(process_), &ended, kLook) == 0 && ended.si_pid != 0;
  }

  pid_t owner_ = ::getpid(), process_ = -1;
  bool is_lent_ = false;
  SharedFlag works_;  // a request is unanswered
  std::optional<Descriptor> socket_;
  std::optional<EndOnInterrupt> on_interrupt_;
};

// ---- how it ended ------------------------------------------------------------------------------------

Message how(const ServerEnd& end) {
  if (!WIFSIGNALED(end.status)) return msg::compiler_exit_code(WEXITSTATUS(end.status));
  if (WTERMSIG(end.status) == SIGKILL) return msg::compiler_killed();
  return Message::verbatim(::strsignal(WTERMSIG(end.status)));
}

// Memory in use typically doubles as it grows: a server that used a quarter of its limit may have requested
// more than is available.
bool ran_out_of_memory(const ServerEnd& end, const CompileLimits& limits) {
  return static_cast<double>(end.used.ru_maxrss) / 1024 > limits.memory_mib / 4;
}

CompilerStopped stopped(const ServerEnd& end, const std::string& file) {
  const CompileLimits limits = compile_limits();
  if (end.was_late || (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGXCPU))
    return {file, CompilerStopped::kTime, limits};
  if (ran_out_of_memory(end, limits)) return {file, CompilerStopped::kMemory, limits};
  return {file, CompilerStopped::kCrash, limits, how(end)};
}

// ---- the server of a thread --------------------------------------------------------------------------

// The environment variables that the search for NVRTC reads.
std::string environment_of_search() {
  std::string text;
  for (const char* variable :
       {"CUDALAB_NVRTC", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "HOME"})
    text += fmt::format("{}\n", environment(variable).value_or(""));
  return text;
}

// The environment that a server was started with.
std::string environment_of_server() {
  return environment_of_search() + environment("CUDALAB_COMPILE_MIB").value_or("");
}

// The system ends a child when the thread that started it ends, so each thread has its own server, which ends
// with the thread. Threads that compile at the same time do not wait for each other.
class WarmCompiler {
 public:
  static WarmCompiler& of_this_thread() {
    static thread_local WarmCompiler compiler;
    return compiler;
  }

  NvrtcOutcome compile(const NvrtcTask& task) {
    const double seconds = compile_limits().seconds;
    Fields request{std::string(kCompile), std::to_string(seconds)};
    for (std::string& field : to_fields(task)) request.push_back(std::move(field));
    const double patience = kSecondsOfABusyMachine * seconds;
    if (const auto outcome = ask(request, patience, task.file_name)) return *outcome;
    return ask(request, patience, task.file_name).value();  // again, in a process of its own
  }

  void lend() {
    if (server_ && !server_->is_idle()) server_.reset();
    server().lend(true);
  }

  // A library that crashes the process that loads it is skipped in the next attempt.
  FoundNvrtc look() {
    Fields request{std::string(kFind)};
    std::vector<Message> crashed;
    while (true) {
      begin(request);
      std::string trying;
      Received answer = server_->receive(kFindSeconds);
      for (; answer.fields && answer.fields->front() == kTrying; answer = server_->receive(kFindSeconds))
        trying = answer.fields->at(1);
      if (answer.fields) {
        server_->has_answered();
        FoundNvrtc found = found_nvrtc_from({answer.fields->begin() + 1, answer.fields->end()});
        found.passed_over.insert(found.passed_over.end(), crashed.begin(), crashed.end());
        return found;
      }
      const ServerEnd end = end_of_server(answer.is_late);
      if (trying.empty()) throw unavailable_error(msg::nvrtc_search_ended(how(end)));
      crashed.push_back(msg::library_crashes_when_loaded(trying, how(end)));
      request.push_back(trying);
    }
  }

 private:
  Server& server() {
    if (server_ && !server_->is_ours() && !server_->is_lent_to_us()) server_.reset();
    if (server_ && started_with_ != environment_of_server()) server_.reset();
    if (!server_) server_ = std::make_unique<Server>(compile_limits());
    if (server_->is_ours()) server_->lend(false);
    started_with_ = environment_of_server();
    return *server_;
  }

  ServerEnd end_of_server(bool was_late) {
    ServerEnd end = server_->end();
    end.was_late = was_late;
    server_.reset();
    return end;
  }

  // A server that ended while it was idle is replaced.
  void begin(const Fields& request) {
    if (server().send(request) && server_->receive(kBeginSeconds).fields) return;
    server_.reset();
    if (server().send(request) && server_->receive(kBeginSeconds).fields) return;
    throw unavailable_error(msg::nvrtc_server_not_started(how(end_of_server(false))));
  }

  // Empty if a lent server ended, possibly because of earlier requests.
  std::optional<NvrtcOutcome> ask(const Fields& request, double seconds, const std::string& file) {
    begin(request);
    const bool is_lent = server_->is_lent_to_us();
    const Received answer = server_->receive(seconds);
    if (!answer.fields || answer.fields->empty()) {
      const ServerEnd end = end_of_server(answer.is_late);
      if (is_lent && !answer.is_late) return std::nullopt;
      throw stopped(end, file);
    }
    server_->has_answered();
    if (answer.fields->front() == kFailed) throw unavailable_error(message_in(answer.fields->at(1)));
    NvrtcOutcome outcome = nvrtc_outcome_from({answer.fields->begin() + 1, answer.fields->end()});
    if (outcome.compiled || !says_out_of_memory(outcome.log)) return outcome;
    end_of_server(false);  // the server has no memory left
    if (is_lent) return std::nullopt;
    throw CompilerStopped(file, CompilerStopped::kMemory, compile_limits());
  }

  std::unique_ptr<Server> server_;
  std::string started_with_;
};

// ---- which NVRTC there is ------------------------------------------------------------------------------

std::optional<std::filesystem::path> found_directory() {
  const auto cache = cache_directory();
  return cache ? std::optional(cache->parent_path() / "nvrtc") : std::nullopt;
}

FoundNvrtc find_or_look(const std::string& key) {
  const CompileCache cache(found_directory());
  if (const auto kept = cache.find_fields(key)) return found_nvrtc_from(*kept);
  FoundNvrtc found = WarmCompiler::of_this_thread().look();
  if (found.is_found()) cache.store_fields(key, to_fields(found));
  return found;
}

}  // namespace

FoundNvrtc found_nvrtc() {
  static std::mutex mutex;
  static std::map<std::string, FoundNvrtc> known;
  const std::scoped_lock lock(mutex);
  const std::string key = digest("nvrtc/2\n" + environment_of_search() + places_of(kNvrtcLibrary));
  const auto found = known.find(key);
  return found != known.end() ? found->second : known[key] = find_or_look(key);
}

NvrtcOutcome compile_aside(const NvrtcTask& task) { return WarmCompiler::of_this_thread().compile(task); }

void lend_compiler() try {
  WarmCompiler::of_this_thread().lend();
} catch (const Error&) {  // the machine allows no further process
}

}  // namespace cudalab::compile
