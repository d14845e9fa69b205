// sbatch and scancel.
#include "cli/cluster/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/text.h"
#include "core/words/split.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kAnswersWithin = 120, kAsLongAsItTakes = 1e9;  // seconds
constexpr std::size_t kLongestAnswer = 300;

fs::path slurm_program(const char* name) {
  if (auto found = compile::find_program(name)) return *std::move(found);
  throw unavailable_error(
      "--slurm needs Slurm's {}, which was not found on the PATH; start this where jobs are submitted, or "
      "grade on this machine without --slurm",
      name);
}

// A job gets the environment of who submits it, and so where temporary files go.
ChildEnd run(const Words& words, double seconds) {
  ChildPool pool({.cpu_seconds = kAnswersWithin, .wall_seconds = seconds, .memory_bytes = 64ull << 30});
  pool.start(0, words, compile::environment("TMPDIR").value_or("/tmp"));
  return pool.wait().second;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// `--parsable` prints NUMBER or NUMBER;CLUSTER; warnings may stand before it.
std::string number_in(const std::string& output) {
  for (const std::string_view line : split(output, '\n'))
    if (const std::string number(line.substr(0, line.find(';'))); is_number(number)) return number;
  return "";
}

// In a file's name, Slurm replaces what begins with %.
std::string log_pattern(const SlurmJob& job) {
  return replaced(job.logs.string(), "%", "%%") + (job.tasks > 0 ? "/%a.log" : "/" + job.name + ".log");
}

// The limits on sbatch are no limits on the job.
Words words_for(const SlurmJob& job) {
  Words words{slurm_program("sbatch").string(),
              "--parsable",
              "--requeue",
              "--propagate=NONE",
              "--open-mode=append",
              "--job-name=" + job.name,
              "--chdir=" + absolute_path(".").string(),
              "--output=" + log_pattern(job)};
  if (job.tasks > 0) words.push_back(fmt::format("--array=0-{}", job.tasks - 1));
  if (job.after) words.push_back("--dependency=afterany:" + *job.after);
  if (!job.partition.empty()) words.push_back("--partition=" + job.partition);
  return words;
}

Error refusal(const ChildEnd& end) {
  const std::string said = harmless_line(end.stopped.empty() ? end.output : end.stopped, kLongestAnswer);
  return unavailable_error("Slurm took no job: sbatch: {}", said.empty() ? "it said nothing" : said);
}

JobEnd handed_over(const SlurmJob& job, Words words, double seconds) {
  words.push_back(job.script.string());
  const ChildEnd end = run(words, seconds);
  JobEnd job_end{number_in(end.output), end.exit_code};
  if (job_end.number.empty() || !end.stopped.empty()) throw refusal(end);
  return job_end;
}

}  // namespace

std::string submit(const SlurmJob& job) { return handed_over(job, words_for(job), kAnswersWithin).number; }

JobEnd submit_and_wait(const SlurmJob& job) {
  Words words = words_for(job);
  words.emplace_back("--wait");
  return handed_over(job, std::move(words), kAsLongAsItTakes);
}

void cancel(const std::string& number) { run({slurm_program("scancel").string(), number}, kAnswersWithin); }

void require_slurm() { slurm_program("sbatch"); }

}  // namespace cudalab::cli
