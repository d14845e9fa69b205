// Runs untrusted work in child processes, several at once, with resource limits and in a sandbox.
#include "core/processes/child_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_process.h"
#include "core/processes/syscall_filter.h"
#include "core/work_budget.h"
#include "messages/core.h"

namespace cudalab {

// bwrap creates the namespaces. setpriv and prlimit (util-linux) provide what it has no option for:
//
//   root:    sh -> bwrap (may change users)   -> setpriv (an unused user) -> prlimit -> program
//   others:  sh -> bwrap (a user namespace)                               -> prlimit -> program
//
// The shell opens the filter of system calls, which bwrap reads from a descriptor and applies last.
// The kernel limits processes per user, but not for root, so root runs the program as another user.

namespace {

namespace fs = std::filesystem;
using WordList = std::vector<std::string>;

constexpr const char* kDefaultProgram = "/usr/bin/bwrap";
constexpr std::uint64_t kTmpBytes = 64u << 20, kMostFiles = 256;
constexpr const char* kPath = "/usr/local/cuda/bin:/usr/bin:/bin";

bool is_root() { return ::geteuid() == 0; }

// An unused user ID, different for each process that creates sandboxes: their processes are then counted
// separately.
unsigned user_inside() {
  constexpr unsigned kFirst = 1'000'000, kUsers = 1'000'000;
  return kFirst + static_cast<unsigned>(::getpid()) % kUsers;
}

std::string bubblewrap() {
  const char* named = std::getenv("CUDALAB_BWRAP");
  return named && *named ? named : kDefaultProgram;
}

void add(WordList& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

// /bin and similar folders are links into /usr, or real folders.
void add_system(WordList& words) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const std::string name : {"bin", "lib", "lib64", "sbin"}) {
    std::error_code failed;
    const fs::path place = "/" + name, target = fs::read_symlink(place, failed);
    if (!failed)
      add(words, {"--symlink", target.string(), place.string()});
    else if (is_there(place))
      add(words, {"--ro-bind", place.string(), place.string()});
  }
  add(words, {"--perms", "0755", "--dir", "/etc"});
  for (const std::string file :
       {"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"})
    add(words, {"--ro-bind-try", file, file});
}

void add_private_folders(WordList& words) {
  const std::string bytes = std::to_string(kTmpBytes);
  add(words, {"--proc", "/proc", "--dev", "/dev"});
  for (const std::string folder : {"/dev/shm", "/tmp"})
    add(words, {"--perms", "1777", "--size", bytes, "--tmpfs", folder});
}

// The folders above the place are made for all users: bubblewrap would make them for root alone.
void add_place(WordList& words, const char* how, const fs::path& from, const std::string& name) {
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1))
    add(words, {"--perms", "0755", "--dir", name.substr(0, slash)});
  add(words, {how, from.string(), name});
}

// Whether a program in the sandbox can be denied further user namespaces, which it needs for mounts and other
// privileged operations. Needs bubblewrap 0.8 and a user namespace of the sandbox's own, which root does not
// use: the program must run as another user of the host.
bool can_disable_user_namespaces() {
  if (is_root()) return false;
  static const bool can = [] {
    ChildPool pool({.cpu_seconds = 10, .wall_seconds = 30});
    pool.start(0,
               {bubblewrap(), "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/",
                "/usr/bin/true"},
               "/");
    return pool.wait().second.exit_code == 0;
  }();
  return can;
}

void add_namespaces(WordList& words) {
  if (is_root())
    add(words, {"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
                "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add",
                "CAP_SETPCAP"});
  else
    add(words, {"--unshare-all"});
  if (can_disable_user_namespaces()) add(words, {"--unshare-user", "--disable-userns"});
  add(words, {"--new-session", "--die-with-parent", "--clearenv", "--setenv", "PATH", kPath, "--setenv",
              "HOME", "/tmp"});
}

// The requested limit, but at most the limit of this process, which cannot be exceeded.
std::uint64_t at_most_own(int what, std::uint64_t wanted) {
  rlimit own{};
  ::getrlimit(static_cast<__rlimit_resource>(what), &own);
  return std::min<std::uint64_t>(wanted, own.rlim_max);
}

void add_limits(WordList& words, const SandboxPlan& plan) {
  if (is_root()) {
    const std::string user = std::to_string(user_inside());
    add(words, {"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--inh-caps=-all",
                "--bounding-set=-all", "--"});
  }
  add(words, {"/usr/bin/prlimit", fmt::format("--nproc={}", at_most_own(RLIMIT_NPROC, plan.processes)),
              fmt::format("--as={}", at_most_own(RLIMIT_AS, plan.memory_bytes)),
              fmt::format("--fsize={}", at_most_own(RLIMIT_FSIZE, plan.file_bytes)),
              fmt::format("--nofile={}", at_most_own(RLIMIT_NOFILE, kMostFiles)), "--core=0"});
  if (plan.processor_seconds > 0)
    add(words, {fmt::format("--cpu={}", at_most_own(RLIMIT_CPU, plan.processor_seconds))});
  add(words, {"--"});
}

// A file with the filter of system calls, which every sandbox opens anew; it stays until this process ends.
const fs::path& filter_file() {
  static const TemporaryFolder folder("cudalab-filter-");
  static const fs::path file = [] {
    std::ofstream(folder / "filter", std::ios::binary) << syscall_filter();
    return folder / "filter";
  }();
  return file;
}

WordList bubblewrap_with_filter() {
  if (syscall_filter().empty()) return {bubblewrap()};
  return {"/bin/sh", "-c", R"(exec "$@" 9<"$0")", filter_file().string(), bubblewrap(), "--seccomp", "9"};
}

// Runs a minimal program to find out whether a sandbox can be created.
Message tried() {
  if (!is_there(bubblewrap())) return msg::sandbox_lacks_bubblewrap(bubblewrap());
  for (const char* tool : {"/usr/bin/prlimit", "/usr/bin/setpriv"})
    if (!is_there(tool)) return msg::sandbox_lacks_tool(tool);
  ChildPool pool({.cpu_seconds = 10, .wall_seconds = 30});
  pool.start(0, in_sandbox({.folder = "/usr"}, {"/usr/bin/true"}), "/");
  const ChildEnd end = pool.wait().second;
  if (end.exit_code == 0) return {};
  const std::string said = end.output.substr(0, end.output.find('\n'));
  return msg::sandbox_without_namespaces(bubblewrap(), !end.stopped.empty() ? Argument(end.stopped)
                                                       : said.empty() ? Argument(msg::sandbox_said_nothing())
                                                                      : Argument(said));
}

}  // namespace

Message objection_to_sandbox() {
  static const Message objection = tried();
  return objection;
}

SandboxFacts sandbox_facts() {
  const bool filters = !syscall_filter().empty();
  return {bubblewrap(), filters, filters || can_disable_user_namespaces()};
}

void require_sandbox() {
  if (const Message objection = objection_to_sandbox(); !objection.empty())
    throw unavailable_error(msg::error_only_in_sandbox(objection));
}

WordList in_sandbox(const SandboxPlan& plan, const WordList& program) {
  WordList words = bubblewrap_with_filter();
  add_namespaces(words);
  add_system(words);
  add_private_folders(words);
  add(words, {plan.may_write ? "--bind" : "--ro-bind", plan.folder.string(), kSandboxFolder});
  for (const auto& [from, name] : plan.shown) add_place(words, "--ro-bind", from, name);
  for (const auto& [from, name] : plan.writable) add_place(words, "--bind", from, name);
  for (const auto& [name, value] : plan.environment) add(words, {"--setenv", name, value});
  add(words, {"--chdir", kSandboxFolder, "--remount-ro", "/dev", "--remount-ro", "/", "--"});
  add_limits(words, plan);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

void hand_over(const fs::path& path) {
  if (!is_root()) return;
  constexpr mode_t kSeenByAll = 0755;
  const bool leads_elsewhere = is_link(path);
  const bool is_given = ::lchown(path.c_str(), user_inside(), user_inside()) == 0 &&
                        (leads_elsewhere || ::chmod(path.c_str(), kSeenByAll) == 0);
  if (!is_given) throw unavailable_error(msg::error_not_handed_over(path.string()));
  if (leads_elsewhere || !is_folder(path)) return;
  for (const fs::path& entry : entries_of(path)) hand_over(entry);
}

namespace {

constexpr int kPollMs = 100;  // interval for checking wall-clock limits

// The system sends SIGXCPU at the limit and SIGKILL a second later.
bool ran_out_of_processor_time(int signal_number) {
  return signal_number == SIGXCPU || signal_number == SIGKILL;
}

Message why_signalled(int signal_number, const ChildLimits& limits) {
  if (ran_out_of_processor_time(signal_number)) return msg::child_took_processor_time(limits.cpu_seconds);
  switch (signal_number) {
    case SIGXFSZ: return msg::child_wrote_file(limits.file_bytes);
    case SIGABRT: return msg::child_out_of_memory();
    default: return msg::child_crashed(::strsignal(signal_number));
  }
}

}  // namespace

ChildPool::~ChildPool() {
  for (auto& [id, child] : children_) {
    end_child(child.pid, has_guard_);
    finish(child);
  }
}

void ChildPool::start(std::size_t id, const std::vector<std::string>& words,
                      const std::filesystem::path& folder) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw no_process_error(errno);
  const Descriptor theirs(pipe[1]);
  Descriptor ours(pipe[0]);
  ::fcntl(ours.number(), F_SETFL, O_NONBLOCK);
  Child child;
  const NoInterrupt until_it_is_noted;
  child.pid = start_child({.words = words,
                           .folder = folder,
                           .environment = {{"TMPDIR", folder.string()}},
                           .output = theirs.number(),
                           .has_guard = has_guard_},
                          limits_);
  child.on_interrupt = std::make_unique<EndOnInterrupt>(child.pid, has_guard_);
  child.output = ours.release();
  child.started = now_seconds();
  children_.emplace(id, std::move(child));
}

// Reads output. At its end, which is when the child has ended, closes the pipe.
void ChildPool::read_from(Child& child) {
  std::array<char, 65536> piece{};
  ssize_t bytes = ::read(child.output, piece.data(), piece.size());
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (bytes <= 0) {
    ::close(child.output);
    child.output = -1;
    return;
  }
  std::size_t room =
      limits_.output_bytes - std::min<std::size_t>(limits_.output_bytes, child.end.output.size());
  child.end.output.append(piece.data(), std::min<std::size_t>(room, static_cast<std::size_t>(bytes)));
  if (static_cast<std::size_t>(bytes) > room) stop(child, msg::child_wrote_output(limits_.output_bytes));
}

void ChildPool::stop(Child& child, Message why) {
  if (child.end.stopped.empty()) child.end.stopped = std::move(why);
  end_child(child.pid, has_guard_);
}

void ChildPool::enforce(double now) {
  for (auto& [id, child] : children_)
    if (now - child.started > limits_.wall_seconds) {
      child.end.was_late = true;
      stop(child, msg::child_took_time(limits_.wall_seconds));
    }
}

ChildEnd ChildPool::finish(Child& child) {
  int status = 0;
  rusage usage{};
  while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (child.output >= 0) ::close(child.output);
  child.end.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  child.end.seconds = now_seconds() - child.started;
  if (WIFEXITED(status))
    child.end.exit_code = WEXITSTATUS(status);
  else if (child.end.stopped.empty()) {
    child.end.was_late = ran_out_of_processor_time(WTERMSIG(status));
    child.end.stopped = why_signalled(WTERMSIG(status), limits_);
  }
  return std::move(child.end);
}

std::pair<std::size_t, ChildEnd> ChildPool::wait() {
  while (true) {
    std::vector<pollfd> pipes;
    std::vector<std::size_t> ids;
    for (const auto& [id, child] : children_) {
      pipes.push_back({child.output, POLLIN, 0});
      ids.push_back(id);
    }
    ::poll(pipes.data(), pipes.size(), kPollMs);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      Child& child = children_.at(ids[i]);
      if (pipes[i].revents != 0) read_from(child);
      if (child.output >= 0) continue;
      std::pair<std::size_t, ChildEnd> ended{ids[i], finish(child)};
      children_.erase(ids[i]);
      return ended;
    }
    enforce(now_seconds());
  }
}

}  // namespace cudalab
