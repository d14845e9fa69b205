// Starts the program with fork, setsid and exec, and looks in /proc for what is left.
#include "tests/faults/victim_testing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.h"

extern char** environ;

namespace cudalab::faults {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = 120s, kPatienceForSurvivors = 10s;
constexpr std::size_t kQuickPart = 24;  // the quick part tries one of this many faults

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

// ---- the place ---------------------------------------------------------------------------------------

constexpr const char* kKernel = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n";

// Takes as long as the other verbs, and prints nothing.
constexpr const char* kProgram = R"(
__global__ void fill(int* x, int turns) {
  for (int i = 0; i < turns; ++i) x[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
int main() {
  int* x;
  if (cudaMalloc(&x, 1024 * sizeof(int)) != cudaSuccess) return 9;
  for (int i = 0; i < 20; ++i) fill<<<32, 32>>>(x, 1000);
  const cudaError_t failed = cudaDeviceSynchronize();
  cudaFree(x);
  return failed == cudaSuccess ? 0 : 9;
}
)";

void must_succeed(const Place& place, const std::vector<std::string>& words) {
  const Ending ending = run(place, words);
  if (ending.code > 1) throw std::runtime_error("cannot prepare a place: " + ending.err);
}

// The files that all runs share, made once.
const Place& model() {
  static const std::unique_ptr<Place> place = [] {
    auto place = std::make_unique<Place>();
    const Place& made = *place;
    must_succeed(made, {"start", "padded-tile", "--into", "."});
    must_succeed(made, {"transpose", "--rows", "32", "--cols", "32", "--json=result.json"});
    must_succeed(made, {"hint", "padded-tile"});
    fs::create_directory(made.work() / "class");
    fs::copy(made.work() / "result.json", made.work() / "class/ada.json");
    fs::copy(made.work() / "transpose/padded-tile.cu", made.work() / "class/bob.cu");
    std::ofstream(made.work() / "k.cu") << kKernel;
    std::ofstream(made.work() / "answers") << "a\nb\nc\n";
    std::ofstream(made.work() / "program.cu") << kProgram;
    must_succeed(made, {"run", "program.cu"});
    run(made, {},
        {.shell = "PATH=$PATH:/usr/local/cuda/bin; exec nvcc --cudart shared -gencode "
                  "arch=compute_90,code=compute_90 -o program program.cu"});
    std::ofstream(made.work() / "guesses") << "?\n1\n?\n";
    std::ofstream(made.work() / "cudalab.deb") << "!<arch>\n";
    fs::create_directory(made.work() / "bin");
    std::ofstream(made.work() / "bin/sbatch") << "#!/bin/sh\necho 1\n";
    fs::permissions(made.work() / "bin/sbatch", fs::perms::owner_all);
    return place;
  }();
  return *place;
}

// ---- the process -------------------------------------------------------------------------------------

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> variables_of(const Place& place, const Fault& fault) {
  std::map<std::string, std::string> values;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    values[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  values["TMPDIR"] = place.temporary();
  values["CUDALAB_CACHE_DIR"] = place.cache();
  values["TERM"] = "xterm";
  values["PATH"] = (place.work() / "bin").string() + ":" + values["PATH"];  // for the cluster's commands
  values.erase("CUDALAB_FAULTS");
  for (const auto& [name, value] : fault.environment) values[name] = value;
  std::vector<std::string> variables;
  for (const auto& [name, value] : values) variables.push_back(name + "=" + value);
  return variables;
}

void redirect(const fs::path& file, int flags, int descriptor) {
  const int opened = ::open(file.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
  ::close(opened);
}

[[noreturn]] void become(const Place& place, const Fault& fault, const std::vector<char*>& words,
                         const std::vector<char*>& variables, const fs::path& out, const fs::path& err) {
  ::setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
  if (fault.terminal) {
    ::ioctl(*fault.terminal, TIOCSCTTY, 0);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(*fault.terminal, descriptor);
  } else {
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  }
  if (::chdir(place.work().c_str()) != 0) ::_exit(126);
  ::close_range(STDERR_FILENO + 1, ~0u, 0);  // a limit on descriptors would count the caller's, too
  ::execve(words[0], words.data(), variables.data());
  ::_exit(127);
}

bool has_ended(pid_t process) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid != 0;
}

// Whether the program already handles SIGTERM itself.
bool is_prepared(pid_t process) {
  const std::string status = read_file(fmt::format("/proc/{}/status", process)).value_or("");
  const std::size_t at = status.find("SigCgt:\t");
  if (at == std::string::npos) return false;
  return (std::strtoull(status.c_str() + at + 8, nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
}

void strike(pid_t process, const Strike& strike) {
  while (!is_prepared(process) && !has_ended(process)) std::this_thread::sleep_for(200us);
  std::this_thread::sleep_for(std::chrono::duration<double>(strike.after_seconds));
  ::kill(process, strike.signal);
}

// "PROCESS: COMMAND" of every running process of the session.
std::vector<std::string> members_of(pid_t session) {
  std::vector<std::string> members;
  for (const fs::path& process : read_folder("/proc").entries) {
    const std::string stat = read_file(process / "stat").value_or("");
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) continue;
    char state = 0;
    int parent = 0, group = 0, of_session = 0;
    std::sscanf(stat.c_str() + name_end + 2, "%c %d %d %d", &state, &parent, &group, &of_session);
    if (of_session == session && state != 'Z' && state != 'X')
      members.push_back(stat.substr(0, name_end + 1));
  }
  return members;
}

// A process takes a moment to end after a signal.
std::vector<std::string> survivors_of(pid_t session) {
  const auto began = Clock::now();
  std::vector<std::string> members = members_of(session);
  while (!members.empty() && Clock::now() - began < kPatienceForSurvivors) {
    std::this_thread::sleep_for(5ms);
    members = members_of(session);
  }
  return members;
}

std::optional<int> wait_for(pid_t process) {
  const auto began = Clock::now();
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    if (Clock::now() - began > kPatience) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(1ms);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_whole(const std::string& name, const std::string& content) {
  return !name.ends_with(".json") || nlohmann::json::accept(content);
}

}  // namespace

Place::Place() {
  for (const fs::path& folder : {work(), temporary(), cache()}) fs::create_directory(folder);
}

std::map<std::string, std::string> Place::files() const {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(work()))
    if (std::error_code ignored; entry.symlink_status(ignored).type() == fs::file_type::regular)
      files[fs::relative(entry.path(), work())] = read_file(entry.path()).value_or("");
  return files;
}

std::vector<std::string> Place::temporary_files() const {
  std::vector<std::string> names;
  for (const fs::path& entry : read_folder(temporary()).entries) names.push_back(entry.filename());
  return names;
}

bool has_program() { return is_there(model().work() / "program"); }

void fill(const Place& place, bool is_compiled) {
  fs::copy(model().work(), place.work(), fs::copy_options::recursive);
  fs::copy(model().cache() / "nvrtc", place.cache() / "nvrtc");
  fs::permissions(place.cache() / "nvrtc", fs::perms::owner_all);
  if (!is_compiled) return;
  fs::copy(model().cache() / "ptx", place.cache() / "ptx");
  fs::permissions(place.cache() / "ptx", fs::perms::owner_all);
}

Ending run(const Place& place, const std::vector<std::string>& words, const Fault& fault) {
  const TemporaryFolder outputs;
  const fs::path out = outputs / "out", err = outputs / "err";
  std::vector<std::string> all{CUDALAB_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  if (!fault.shell.empty()) all.insert(all.begin(), {"/bin/sh", "-ec", fault.shell, "sh"});
  const std::vector<std::string> variables = variables_of(place, fault);
  const std::vector<char*> arguments = pointers_to(all), environment = pointers_to(variables);
  const auto began = Clock::now();
  const pid_t process = ::fork();
  if (process == 0) become(place, fault, arguments, environment, out, err);
  if (fault.strike) strike(process, *fault.strike);
  Ending ending;
  ending.code = wait_for(process).value_or(-1);
  ending.seconds = seconds_since(began);
  ending.survivors = survivors_of(process);
  ending.out = read_file(out).value_or("");
  ending.err = read_file(err).value_or("");
  return ending;
}

std::string leftovers(const Place& place, const std::map<std::string, std::string>& before,
                      const std::map<std::string, std::string>& undisturbed) {
  std::string problems;
  for (const std::string& name : place.temporary_files())
    problems += fmt::format("\n{} is left in TMPDIR", name);
  for (const auto& [name, content] : place.files()) {
    if (!before.contains(name) && !undisturbed.contains(name)) problems += fmt::format("\n{} is left", name);
    const bool is_as_before = before.contains(name) && before.at(name) == content;
    if (!is_as_before && !is_whole(name, content)) problems += fmt::format("\n{} is half-written", name);
  }
  for (const auto& [name, content] : before)
    if (undisturbed.contains(name) && !place.files().contains(name))
      problems += fmt::format("\n{} is gone", name);
  return problems;
}

void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(2u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < count; at = next++) work(at);
    });
}

bool is_wanted(std::size_t row) {
  static const std::string said = [] {
    const char* value = std::getenv("CUDALAB_FAULTS");
    return std::string(value ? value : "");
  }();
  std::size_t first = 0, last = 0;
  if (std::sscanf(said.c_str(), "%zu-%zu", &first, &last) == 2) return row >= first && row <= last;
  std::size_t part = kQuickPart;
  if (std::sscanf(said.c_str(), "1/%zu", &part) != 1 || part == 0) part = kQuickPart;
  return said == "all" || row % part == 0;
}

}  // namespace cudalab::faults
