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

// Hands jobs to Slurm, the queue of a cluster, through its own commands.

namespace {

struct SlurmJob {
  std::string name;                    // as the queue shows it
  std::filesystem::path script, logs;  // the folder of logs gets NAME.log, or NUMBER.log of each task
  std::size_t tasks = 0;               // of an array, numbered from 0; 0: no array
  std::optional<std::string> after;    // a job that must have ended, however it did
  std::string partition;               // empty: the cluster's usual one
};

struct JobEnd {
  std::string number;
  int exit_code = 0;  // of the script; Slurm's own where that was stopped
};

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr double kAnswersWithin = 120, kAsLongAsItTakes = 1e9;  // seconds

constexpr std::size_t kLongestAnswer = 300;

fs::path slurm_program(const char* name) {
  if (auto found = compile::find_program(name)) return *std::move(found);
  throw unavailable_error(msg::slurm_program_missing(name));
}

// A job gets the environment of who submits it, and so where temporary files go.
ChildEnd run(const Words& words, double seconds) {
  ChildPool pool({.cpu_seconds = kAnswersWithin, .wall_seconds = seconds, .memory_bytes = 64ull << 30});
  pool.start(0, words, compile::environment("TMPDIR").value_or("/tmp"));
  return pool.wait().second;
}

bool is_number(const std::string& text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

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

// Its number. The job works in this process's folder, and Slurm starts it again where its machine fails.
// Throws Error(kUnavailable) where there is no Slurm, and with what it said where it takes no such job.
std::string submit(const SlurmJob& job) { return handed_over(job, words_for(job), kAnswersWithin).number; }

// The same, and waits until it has ended.
JobEnd submit_and_wait(const SlurmJob& job) {
  Words words = words_for(job);
  words.emplace_back("--wait");
  return handed_over(job, std::move(words), kAsLongAsItTakes);
}

// As far as Slurm answers.
void cancel(const std::string& number) { run({slurm_program("scancel").string(), number}, kAnswersWithin); }

// Throws the Error(kUnavailable) of submit() where there is no Slurm.
void require_slurm() { slurm_program("sbatch"); }

// Some ten seconds of work for a task; an array of Slurm's has 1001 at most unless its owner says otherwise.
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

GradingRun run_of_all(GradeTexts texts, const fs::path& path) {
  if (texts.resume && texts.seed.empty()) texts.seed = RunFolder(path).seed();
  return grading_run_from(texts, grading::find_submissions(texts.files));
}

RunFolder prepared(const fs::path& path, const GradingRun& run, bool goes_on) {
  RunFolder folder = RunFolder::create(path, goes_on);
  folder.write_seed(run.rules.seed);
  return folder;
}

// The list makes the folder one of a run, which is gone on with and not begun again: where Slurm takes no job
// there is none.
std::string submit_first(const SlurmJob& job, const RunFolder& folder, const GradingRun& run, bool goes_on) {
  folder.write_submissions(run.submissions);
  try {
    return submit(job);
  } catch (const Error&) {
    if (!goes_on) folder.forget_submissions();
    throw;
  }
}

// What the jobs are told: what the user said, less what concerns the submitting alone.
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

// `shown`: a file to print, too; empty: the user named one.
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
  std::string run_folder, task;  // without a task: puts the parts together
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

// What no task has graded, because it was killed and not started again, is graded here.
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
  const GradingRun run = run_of_all(texts, path);
  const RunFolder folder = prepared(path, run, texts.resume);
  const GradeTexts told = for_jobs(texts, folder, run);
  book_rules_from(told, run.submissions);  // these throw now what they would at the end
  writer_from(told, run, console);
  Jobs jobs = jobs_for(told, folder, tasks_from(texts.jobs, run.submissions.size()), texts.partition);
  jobs.merge.after = submit_first(jobs.grade, folder, run, texts.resume);
  const std::string begin = announcement(jobs, run.submissions.size());
  try {
    return texts.wait ? wait_for(jobs, begin, texts.output.empty() ? told.output : "", console)
                      : leave_alone(jobs, begin, told, console);
  } catch (const Error&) {
    cancel(*jobs.merge.after);  // without the second job, nobody would see what the first one does
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
