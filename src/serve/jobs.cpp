// Starts the running program again, in a sandbox that shows it the program, the labs and the compilers.
#include "serve/jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <thread>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/processes/child_pool.h"
#include "core/processes/child_process.h"
#include "core/processes/this_process.h"
#include "core/text.h"
#include "core/work_budget.h"
#include "device/programs/program_run.h"
#include "lab/locate.h"
#include "messages/core.h"
#include "messages/serve.h"

extern char** environ;

namespace cudalab::serve {
namespace {

namespace fs = std::filesystem;

constexpr ChildLimits kLimits{.cpu_seconds = 600, .wall_seconds = 600, .memory_bytes = 8ull << 30};
constexpr std::size_t kMostOutput = 4u << 20, kMostErrors = 64u << 10, kMostResult = 8u << 20;
constexpr const char* kCacheInside = "/cache";

// Folders outside /usr that the program needs.
std::set<fs::path> folders_of_the_program() {
  const fs::path program = this_program();
  std::set<fs::path> folders{program.parent_path(), lab::labs_directory().parent_path(),
                             device::runtime_library().parent_path()};
  const fs::path libraries = program.parent_path().parent_path() / "lib";
  if (is_folder(libraries)) folders.insert(libraries);
  if (const auto headers = compile::find_toolkit_headers({})) {
    folders.insert(compile::toolkit_of(*headers));
    folders.insert(headers->directories.begin(), headers->directories.end());
  }
  std::erase_if(folders, [](const fs::path& folder) {
    return folder.empty() || folder == "/" || folder.string().starts_with("/usr/") || !is_folder(folder);
  });
  return folders;
}

// The user's settings, but no secrets of this server.
std::vector<std::pair<std::string, std::string>> settings() {
  std::vector<std::pair<std::string, std::string>> kept;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name(text.substr(0, equals));
    const bool is_wanted = name.starts_with("CUDALAB_") || name == "CUDA_HOME" || name == "CUDA_PATH";
    if (is_wanted && name != "CUDALAB_CACHE_DIR" && name != "CUDALAB_TOKEN")
      kept.emplace_back(name, text.substr(std::min(equals + 1, text.size())));
  }
  kept.emplace_back("LC_ALL", "C.UTF-8");
  kept.emplace_back("OMP_WAIT_POLICY", "passive");
  return kept;
}

void put_file(const fs::path& file, std::string_view text) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const Descriptor to(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!write_all(to.number(), text))
    throw unavailable_error(msg::serve_job_without_folder(std::strerror(errno)));
}

// A job may have put anything there, so links are not followed and pipes are not waited for.
std::optional<std::string> result_in(const fs::path& file) {
  const Descriptor from(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (::fstat(from.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  if (facts.st_size > static_cast<off_t>(kMostResult)) return std::nullopt;
  FileContent content = read_to_the_end(from.number(), kMostResult);
  return content.problem.empty() ? std::optional(std::move(content.bytes)) : std::nullopt;
}

}  // namespace

struct Jobs::Job {
  struct Pipe {
    Pipe() {
      std::array<int, 2> ends{};
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw no_process_error(errno);
      ours.emplace(ends[0]);
      theirs.emplace(ends[1]);
      ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    std::optional<Descriptor> ours, theirs;
  };

  OnEnd on_end;
  std::vector<std::string> wanted;
  TemporaryFolder folder{"cudalab-serve-job-"};
  Pipe output, errors;
  pid_t child = -1;
  std::optional<EndOnInterrupt> on_interrupt;
  double started = now_seconds();
  bool is_stopped = false;
  JobEnd end;

  // Returns false at the end of the pipe.
  static bool read(Pipe& pipe, std::string& text, std::size_t most, bool& is_too_much) {
    if (!pipe.ours) return false;
    std::array<char, 65536> piece{};
    while (true) {
      const ssize_t bytes = ::read(pipe.ours->number(), piece.data(), piece.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0 && errno == EAGAIN) return true;
      if (bytes <= 0) return pipe.ours.reset(), false;
      const auto count = static_cast<std::size_t>(bytes), room = most - std::min(most, text.size());
      text.append(piece.data(), std::min(count, room));
      is_too_much |= count > room;
    }
  }

  void stop(Message why) {
    if (std::exchange(is_stopped, true)) return;
    end.stopped = std::move(why);
    end_child(child, true);
  }
};

Jobs::Jobs(bool in_sandbox) : in_sandbox_(in_sandbox) { hand_over(cache_.path()); }

Jobs::~Jobs() {
  for (auto& [id, job] : jobs_) {
    end_child(job->child, true);
    finish(*job);
  }
}

std::vector<std::string> Jobs::words_for(const JobOrder& order, const fs::path& folder) const {
  std::vector<std::string> words{in_sandbox_ ? this_program().string() : this_program_again().string()};
  words.insert(words.end(), order.words.begin(), order.words.end());
  if (!in_sandbox_) return words;
  SandboxPlan plan;
  plan.folder = folder;
  plan.may_write = true;
  for (const fs::path& shown : folders_of_the_program()) plan.shown.emplace_back(shown, shown.string());
  plan.writable = {{cache_.path(), kCacheInside}};
  plan.environment = settings();
  plan.environment.emplace_back("CUDALAB_CACHE_DIR", kCacheInside);
  plan.processes += 4 * std::uint64_t{std::thread::hardware_concurrency()};
  plan.memory_bytes = kLimits.memory_bytes;
  plan.processor_seconds = static_cast<std::uint64_t>(kLimits.cpu_seconds);
  return cudalab::in_sandbox(plan, words);
}

Jobs::Id Jobs::start(const JobOrder& order, OnEnd on_end) {
  if (jobs_.size() >= kMostJobs) throw unavailable_error(msg::serve_too_many_jobs(kMostJobs));
  auto job = std::make_unique<Job>();
  job->on_end = std::move(on_end);
  job->wanted = order.results;
  for (const auto& [path, text] : order.files) put_file(job->folder / path, text);
  if (in_sandbox_) hand_over(job->folder.path());
  ChildPlan plan;
  plan.words = words_for(order, job->folder.path());
  plan.folder = job->folder.path();
  plan.environment = {{"CUDALAB_TOKEN", ""}};
  if (!in_sandbox_) plan.environment.emplace_back("TMPDIR", job->folder.path().string());
  plan.output = job->output.theirs->number();
  plan.errors = job->errors.theirs->number();
  plan.has_guard = true;
  ChildLimits limits = kLimits;
  if (in_sandbox_) limits.memory_bytes = RLIM_INFINITY;  // the sandbox has the limit
  const NoInterrupt until_it_is_noted;
  job->child = start_child(plan, limits);
  job->on_interrupt.emplace(job->child, true);
  job->output.theirs.reset();
  job->errors.theirs.reset();
  const Id id = ++last_;
  jobs_.emplace(id, std::move(job));
  return id;
}

void Jobs::cancel(Id id) {
  if (const auto found = jobs_.find(id); found != jobs_.end())
    found->second->stop(msg::serve_job_cancelled());
}

std::vector<int> Jobs::descriptors() const {
  std::vector<int> all;
  for (const auto& [id, job] : jobs_)
    for (const Job::Pipe* pipe : {&job->output, &job->errors})
      if (pipe->ours) all.push_back(pipe->ours->number());
  return all;
}

JobEnd Jobs::finish(Job& job) {
  int status = 0;
  while (::waitpid(job.child, &status, 0) < 0 && errno == EINTR) continue;
  job.on_interrupt.reset();
  if (WIFEXITED(status) && !job.is_stopped) job.end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status) && !job.is_stopped)
    job.end.stopped = msg::serve_job_ended_by_signal(::strsignal(WTERMSIG(status)));
  for (const std::string& name : job.wanted)
    if (auto text = result_in(job.folder / name)) job.end.results.emplace(name, std::move(*text));
  return std::move(job.end);
}

void Jobs::attend() {
  std::vector<std::pair<Id, std::unique_ptr<Job>>> ended;
  for (auto& [id, job] : jobs_) {
    bool is_too_much = false, is_ignored = false;
    const bool prints = Job::read(job->output, job->end.output, kMostOutput, is_too_much);
    const bool complains = Job::read(job->errors, job->end.errors, kMostErrors, is_ignored);
    if (is_too_much) job->stop(msg::child_wrote_output(kMostOutput));
    if (now_seconds() - job->started > kLimits.wall_seconds)
      job->stop(msg::child_took_time(kLimits.wall_seconds));
    if (!prints && !complains) ended.emplace_back(id, std::move(job));
  }
  for (auto& [id, job] : ended) {
    jobs_.erase(id);
    const OnEnd on_end = std::move(job->on_end);
    on_end(id, finish(*job));
  }
}

std::vector<Jobs::Running> Jobs::running() const {
  std::vector<Running> all;
  for (const auto& [id, job] : jobs_) {
    const std::string_view errors = trimmed(job->end.errors);
    const std::size_t line = errors.rfind('\n');
    all.push_back({id, now_seconds() - job->started,
                   harmless_line(line == std::string_view::npos ? errors : errors.substr(line + 1), 200)});
  }
  return all;
}

}  // namespace cudalab::serve
