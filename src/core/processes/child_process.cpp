// Starts child processes with fork and exec and ties their lifetime to this process.
//
//     this process ── child                 a death signal ends the child with its parent
//     this process ── guard ── child ── …   the guard ends with its parent, and kills the child's group
//     this process ── keeper ── program ── …   one process group; the keeper ends with its parent, and kills
//                                           all descendants of the program
#include "core/processes/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/processes/interruption.h"
#include "messages/core.h"

extern char** environ;

namespace cudalab {
namespace {

// AddressSanitizer and ThreadSanitizer reserve more address space than any limit allows.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

void limit(int what, std::uint64_t soft, std::uint64_t hard) {
  rlimit both{soft, hard};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

void apply(const ChildPlan& plan, const ChildLimits& limits) {
  auto seconds = static_cast<std::uint64_t>(std::ceil(limits.cpu_seconds));
  if (plan.limits_cpu) limit(RLIMIT_CPU, seconds, seconds + 1);
  if (kLimitsMemory) limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
  limit(RLIMIT_CORE, 0, 0);
}

// The arguments of exec, prepared before the fork. After the fork, only system calls are allowed.
struct Words {
  std::vector<char*> arguments, environment;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> environment_with(const Variables& more) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : more) variables.push_back(name + "=" + value);
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    bool is_replaced = false;
    for (const auto& [other, value] : more) is_replaced |= other == name;
    if (!is_replaced) variables.push_back(text);
  }
  return variables;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Reports an error between fork and exec.
[[noreturn]] void give_up(int code, const char* what, const char* name, int output = STDOUT_FILENO) {
  const char* why = ::strerrordesc_np(errno);
  for (const char* part : {what, name, ": ", why ? why : "unknown error", "\n"})
    if (::write(output, part, std::strlen(part)) < 0) break;  // there is no reader
  ::_exit(code);
}

// Sets the signal that this process receives when its parent dies. If the parent is already dead, exits
// instead.
void die_with(pid_t parent, int signal_number) {
  ::prctl(PR_SET_PDEATHSIG, signal_number);
  if (::getppid() != parent) ::_exit(126);
}

void unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void take_usual_signals() {
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGTSTP, SIGCONT, SIGQUIT, SIGSEGV, SIGABRT,
                     SIGBUS, SIGFPE, SIGILL})
    ::signal(number, SIG_DFL);
  unblock_signals();
}

[[noreturn]] void become(const ChildPlan& plan, const ChildLimits& limits, const Words& words, pid_t parent) {
  ::setpgid(0, 0);
  die_with(parent, SIGKILL);
  int nothing = ::open("/dev/null", O_RDWR), output = plan.output >= 0 ? plan.output : nothing;
  const int input = plan.input >= 0 ? plan.input : nothing, errors = plan.errors >= 0 ? plan.errors : output;
  bool ready = nothing >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
               ::dup2(errors, STDERR_FILENO) >= 0;
  if (!ready) ::_exit(126);
  // Closes all other descriptors. The process that started this one may have left some open, and an untrusted
  // program could write to them.
  ::close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  if (plan.inherited >= 0) ::fcntl(plan.inherited, F_SETFD, 0);
  if (!plan.folder.empty() && ::chdir(plan.folder.c_str()) != 0)
    give_up(126, "cannot work in ", plan.folder.c_str());
  take_usual_signals();
  apply(plan, limits);
  ::execve(words.arguments[0], words.arguments.data(), words.environment.data());
  give_up(127, "cannot start ", words.arguments[0]);
}

// ---- the guard ---------------------------------------------------------------------------------------

volatile sig_atomic_t guarded = 0;

void end_the_guarded(int) {
  if (guarded > 0) ::kill(-static_cast<pid_t>(guarded), SIGKILL);
  ::_exit(126);
}

// Ends with the same status as the guarded process.
[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  limit(RLIMIT_CORE, 0, 0);
  take_usual_signals();
  ::kill(::getpid(), WTERMSIG(status));
  ::_exit(126);
}

// The signals stay blocked until the guard can handle them.
[[noreturn]] void guard(const ChildPlan& plan, const ChildLimits& limits, const Words& words, pid_t parent) {
  ::setpgid(0, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  die_with(parent, SIGTERM);
  const pid_t self = ::getpid(), child = ::fork();
  if (child == 0) become(plan, limits, words, self);
  if (child < 0) ::_exit(126);
  ::setpgid(child, child);  // in both processes, so the order does not matter
  guarded = child;
  ::close_range(0, ~0u, 0);
  ::signal(SIGTERM, end_the_guarded);
  ::sigdelset(&all, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ::kill(-child, SIGKILL);  // processes that it left running
  end_as(status);
}

// ---- a program alongside -------------------------------------------------------------------------------

// Signals that this process ignored at its start stay ignored. Those that it handles or ignores itself do
// not.
[[noreturn]] void become_program(const Words& words, pid_t keeper) {
  die_with(keeper, SIGKILL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::signal(number, SIG_DFL);
  }
  for (const int number : {SIGPIPE, SIGXFSZ, SIGUSR1}) ::signal(number, SIG_DFL);
  unblock_signals();
  ::execvpe(words.arguments[0], words.arguments.data(), words.environment.data());
  give_up(127, "cudalab: cannot start ", words.arguments[0], STDERR_FILENO);
}

// Kills the children of this process that the system lists; without /proc it does nothing.
void end_own_children() {
  constexpr std::size_t kLongest = 4096;
  char text[kLongest];
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t length = list < 0 ? 0 : ::read(list, text, kLongest);
  if (list >= 0) ::close(list);
  pid_t process = 0;
  for (ssize_t i = 0; i < length; ++i) {
    if (text[i] >= '0' && text[i] <= '9')
      process = process * 10 + (text[i] - '0');
    else if (process > 0)
      ::kill(std::exchange(process, 0), SIGKILL);
  }
}

// An orphan becomes a child of this process, so each round ends the next generation.
void end_all_that_descends(int) {
  ::kill(static_cast<pid_t>(guarded), SIGKILL);
  do end_own_children();
  while (::waitpid(-1, nullptr, 0) > 0);
  ::kill(::getpid(), SIGKILL);
}

void pass_on(int) { ::kill(static_cast<pid_t>(guarded), SIGTERM); }

[[noreturn]] void keep(const Words& words, pid_t parent) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  die_with(parent, SIGTERM);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t self = ::getpid(), program = ::fork();
  if (program == 0) become_program(words, self);
  if (program < 0) give_up(126, "cudalab: cannot start ", words.arguments[0], STDERR_FILENO);
  guarded = program;
  ::close_range(0, ~0u, 0);
  handle_signal(SIGTERM, end_all_that_descends);
  handle_signal(SIGUSR1, pass_on);
  ::sigdelset(&all, SIGTERM);
  ::sigdelset(&all, SIGUSR1);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  int status = 0;
  for (pid_t ended = 0; ended != program;)  // other ended processes are those that the program left behind
    if ((ended = ::waitpid(-1, &status, 0)) < 0 && errno != EINTR) ::_exit(126);
  end_as(status);
}

}  // namespace

Error no_process_error(int reason) {
  return unavailable_error(msg::error_process_not_started(std::strerror(reason)));
}

pid_t start_alongside(const std::vector<std::string>& words, const Variables& environment) {
  const std::vector<std::string> variables = environment_with(environment);
  const Words pointers{pointers_to(words), pointers_to(variables)};
  const pid_t parent = ::getpid(), keeper = ::fork();
  if (keeper == 0) keep(pointers, parent);
  if (keeper < 0) throw no_process_error(errno);
  return keeper;
}

void ask_to_end(pid_t guard_of_program) { ::kill(guard_of_program, SIGUSR1); }

pid_t start_child(const ChildPlan& plan, const ChildLimits& limits) {
  const std::vector<std::string> variables = environment_with(plan.environment);
  const Words words{pointers_to(plan.words), pointers_to(variables)};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0 && plan.has_guard) guard(plan, limits, words, parent);
  if (child == 0) become(plan, limits, words, parent);
  if (child < 0) throw no_process_error(errno);
  ::setpgid(child, child);
  return child;
}

void end_child(pid_t child, bool has_guard) {
  if (!has_guard) ::kill(-child, SIGKILL);
  ::kill(child, has_guard ? SIGTERM : SIGKILL);
}

}  // namespace cudalab
