// The verb `cudalab grade --slurm`: submits Slurm jobs that grade parts of a class, and one job that combines
// the results.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/run_folder.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "cli/verbs/grade.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/text.h"
#include "messages/cli.h"

namespace cudalab::cli {

// Submits jobs to Slurm, a cluster's scheduler, through its command-line programs.

namespace {

struct SlurmJob {
  std::string name;                    // as shown in the queue
  std::filesystem::path script, logs;  // `logs` is a folder: it gets NAME.log, or NUMBER.log per task
  std::size_t tasks = 0;               // of a job array, numbered from 0; 0: not an array
  std::optional<std::string> after;    // a job that must have ended, successfully or not
  std::string partition;               // empty: the cluster's default
};

struct JobEnd {
  std::string number;
  int exit_code = 0;  // the script's, or Slurm's if it stopped the script
};

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr double kAnswersWithin = 120, kAsLongAsItTakes = 1e9;  // seconds

constexpr std::size_t kLongestAnswer = 300;

fs::path slurm_program(const char* name) {
  if (auto found = compile::find_program(name)) return *std::move(found);
  throw unavailable_error(msg::slurm_program_missing(name));
}

// Passes on TMPDIR: a job inherits its environment from the process that submits it.
ChildEnd run(const Words& words, double seconds) {
  ChildPool pool({.cpu_seconds = kAnswersWithin, .wall_seconds = seconds, .memory_bytes = 64ull << 30});
  pool.start(0, words, compile::environment("TMPDIR").value_or("/tmp"));
  return pool.wait().second;
}

bool is_number(const std::string& text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

// `--parsable` prints NUMBER or NUMBER;CLUSTER, possibly after warnings.
std::string number_in(const std::string& output) {
  for (const std::string_view line : split(output, '\n'))
    if (const std::string number(line.substr(0, line.find(';'))); is_number(number)) return number;
  return "";
}

// In Slurm's file names, % begins a replacement.
std::string log_pattern(const SlurmJob& job) {
  return replaced(job.logs.string(), "%", "%%") + (job.tasks > 0 ? "/%a.log" : "/" + job.name + ".log");
}

// `--propagate=NONE`: sbatch's own limits must not apply to the job.
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
  const std::string said =
      harmless_line(trimmed(end.stopped.empty() ? end.output : end.stopped.text()), kLongestAnswer);
  return unavailable_error(
      msg::slurm_job_refused(said.empty() ? Argument(msg::slurm_said_nothing()) : Argument(said)));
}

JobEnd handed_over(const SlurmJob& job, Words words, double seconds) {
  words.push_back(job.script.string());
  const ChildEnd end = run(words, seconds);
  JobEnd job_end{number_in(end.output), end.exit_code};
  if (job_end.number.empty() || !end.stopped.empty()) throw refusal(end);
  return job_end;
}

// Returns the job's number. The job runs in this process's folder, and Slurm restarts it if its node fails.
// Throws Error(kUnavailable) without Slurm, and with Slurm's message if it rejects the job.
std::string submit(const SlurmJob& job) { return handed_over(job, words_for(job), kAnswersWithin).number; }

// Submits a job and waits until it has ended.
JobEnd submit_and_wait(const SlurmJob& job) {
  Words words = words_for(job);
  words.emplace_back("--wait");
  return handed_over(job, std::move(words), kAsLongAsItTakes);
}

// Cancels a job; does nothing if Slurm does not answer.
void cancel(const std::string& number) { run({slurm_program("scancel").string(), number}, kAnswersWithin); }

// Throws the same Error(kUnavailable) as submit() if there is no Slurm.
void require_slurm() { slurm_program("sbatch"); }

// A task of 50 submissions takes about ten seconds. A Slurm array has at most 1001 tasks by default.
constexpr std::size_t kSubmissionsATask = 50, kMostTasks = 1000, kMostTasksAsked = 100'000;

// ---- submitting -------------------------------------------------------------------------------------

fs::path run_folder_from(const GradeTexts& texts) {
  if (!texts.journal.empty()) return texts.journal;
  if (texts.resume) throw usage_error(msg::slurm_resume_needs_journal());
  return fmt::format("cudalab-slurm-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
}

std::size_t tasks_from(const std::string& text, std::size_t submissions) {
  const std::size_t asked =
      text.empty() ? std::min(kMostTasks, (submissions + kSubmissionsATask - 1) / kSubmissionsATask)
                   : parse_natural("--jobs", text, kMostTasksAsked);
  return std::clamp<std::size_t>(asked, 1, submissions);
}

GradingRun run_of_all(GradeTexts texts, const fs::path& path, const Console& console) {
  if (texts.resume && texts.seed.empty()) texts.seed = RunFolder(path).seed();
  return grading_run_from(texts, submissions_from(texts, console));
}

RunFolder prepared(const fs::path& path, const GradingRun& run, bool goes_on) {
  RunFolder folder = RunFolder::create(path, goes_on);
  folder.write_seed(run.rules.seed);
  return folder;
}

// The list of submissions marks the folder as a run that can be resumed, so it is deleted if Slurm rejects
// the job.
std::string submit_first(const SlurmJob& job, const RunFolder& folder, const GradingRun& run, bool goes_on) {
  folder.write_submissions(run.submissions);
  try {
    return submit(job);
  } catch (const Error&) {
    if (!goes_on) folder.forget_submissions();
    throw;
  }
}

// The user's options for the jobs, without those that only concern submission.
GradeTexts for_jobs(const GradeTexts& texts, const RunFolder& folder, const GradingRun& run) {
  GradeTexts told = texts;
  told.slurm = told.wait = told.resume = false;
  told.partition = told.jobs = told.journal = "";
  told.seed = std::to_string(run.rules.seed);
  if (told.output.empty()) told.output = (folder.path() / "grades").string();
  return told;
}

struct Jobs {
  SlurmJob grade, merge;
};

Jobs jobs_for(GradeTexts told, const RunFolder& folder, std::size_t tasks, const std::string& partition) {
  std::vector<std::string> words{kGradeTask, "--run-folder=" + folder.path().string()};
  for (std::string& word : words_of(grade_options(told))) words.push_back(std::move(word));
  const std::string task = fmt::format(" --task=$SLURM_ARRAY_TASK_ID/{}", tasks);
  return {{"cudalab-grade", folder.write_script("grade", words, task), folder.logs(), tasks, {}, partition},
          {"cudalab-merge", folder.write_script("merge", words), folder.logs(), 0, {}, partition}};
}

std::string announcement(const Jobs& jobs, std::size_t submissions) {
  return fmt::format("{}: job {} grades them in {}", counted(static_cast<double>(submissions), "submission"),
                     *jobs.merge.after, counted(static_cast<double>(jobs.grade.tasks), "task"));
}

ExitCode leave_alone(const Jobs& jobs, const std::string& begin, const GradeTexts& told,
                     const Console& console) {
  const std::string merge = submit(jobs.merge), &grade = *jobs.merge.after;
  console.say(fmt::format("{}, then job {} writes {}.\n", begin, merge, told.output));
  console.say(fmt::format(
      "How far it is: squeue --jobs={0},{1}. To end it: scancel {0} {1}. Logs and journals: {2}\n", grade,
      merge, jobs.grade.logs.parent_path().string()));
  return ExitCode::kPassed;
}

// `shown`: a file to print at the end; empty if the user named an output file.
ExitCode wait_for(const Jobs& jobs, const std::string& begin, const std::string& shown,
                  const Console& console) {
  console.remark(begin + "; waiting for it\n");
  const JobEnd end = submit_and_wait(jobs.merge);
  const auto code = static_cast<ExitCode>(end.exit_code);
  if (code != ExitCode::kPassed && code != ExitCode::kFailed)
    throw unavailable_error(msg::slurm_merge_failed(end.number, end.exit_code, jobs.merge.logs.string()));
  if (is_there(shown) && !is_folder(shown)) console.print(read_bytes(shown));
  return code;
}

// ---- a job ------------------------------------------------------------------------------------------

struct TaskTexts : GradeTexts {
  std::string run_folder, task;  // empty: combines the parts
};

Options options_of_task(TaskTexts& texts) {
  return grade_options(texts) +
         Options{required({"--run-folder", "", &texts.run_folder, "what all jobs of the run share"}),
                 {"--task", "", &texts.task, "its number, and of how many"}};
}

std::size_t processors_of_job() {
  const std::string told = compile::environment("SLURM_CPUS_ON_NODE").value_or("1");
  return std::max<std::size_t>(1, parse_natural("SLURM_CPUS_ON_NODE", told, kMostJobs));
}

ExitCode grade_part(const TaskTexts& texts, const RunFolder& folder, const Console& console) {
  const Part part = part_from(texts.task);
  GradingRun run = grading_run_from(texts, folder.submissions_of(part));
  run.jobs = processors_of_job();
  run.earlier = folder.journals_of(part);
  run.journal = folder.new_journal(part.name());
  grade_all(run, console);
  return ExitCode::kPassed;
}

// Also grades submissions without a grade, whose task was killed and not restarted.
ExitCode merge_parts(const TaskTexts& texts, const RunFolder& folder, const Console& console) {
  GradingRun run = grading_run_from(texts, folder.submissions());
  run.jobs = processors_of_job();
  run.earlier = folder.journals();
  run.journal = folder.new_journal("merge");
  return grade_and_write(run, book_rules_from(texts, run.submissions), writer_from(texts, run, console),
                         console);
}

ExitCode grade_task(const TaskTexts& texts, const Console& console) {
  const RunFolder folder(texts.run_folder);
  return texts.task.empty() ? merge_parts(texts, folder, console) : grade_part(texts, folder, console);
}

}  // namespace

ExitCode grade_on_cluster(const GradeTexts& texts, const Console& console) {
  require_slurm();
  const fs::path path = run_folder_from(texts);
  const GradingRun run = run_of_all(texts, path, console);
  const RunFolder folder = prepared(path, run, texts.resume);
  const GradeTexts told = for_jobs(texts, folder, run);
  book_rules_from(told, run.submissions);  // report errors now that these would throw at the end
  writer_from(told, run, console);
  Jobs jobs = jobs_for(told, folder, tasks_from(texts.jobs, run.submissions.size()), texts.partition);
  jobs.merge.after = submit_first(jobs.grade, folder, run, texts.resume);
  const std::string begin = announcement(jobs, run.submissions.size());
  try {
    return texts.wait ? wait_for(jobs, begin, texts.output.empty() ? told.output : "", console)
                      : leave_alone(jobs, begin, told, console);
  } catch (const Error&) {
    cancel(*jobs.merge.after);  // without the second job, the results of the first would be lost
    throw;
  }
}

Verb grade_task_verb() {
  return {.name = kGradeTask,
          .alias = "",
          .summary = "what the jobs of `grade --slurm` run",
          .examples = {},
          .declare = with_options(options_of_task, grade_task)};
}

}  // namespace cudalab::cli
