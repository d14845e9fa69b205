// `cudalab grade --slurm`: jobs that grade parts of a class, and one that puts the parts together. And the
// hidden `cudalab grade-task`, which these jobs run.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "cli/cluster/run_folder.h"
#include "cli/cluster/slurm.h"
#include "cli/options/lab_options.h"
#include "cli/options/option_words.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "cli/verbs/grade.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/text.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

// Some ten seconds of work for a task; an array of Slurm's has 1001 at most unless its owner says otherwise.
constexpr std::size_t kSubmissionsATask = 50, kMostTasks = 1000, kMostTasksAsked = 100'000;

// ---- submitting -------------------------------------------------------------------------------------

fs::path run_folder_from(const GradeTexts& texts) {
  if (!texts.journal.empty()) return texts.journal;
  if (texts.resume)
    throw usage_error("--slurm --resume needs --journal: the folder of the run to go on with");
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
    throw unavailable_error(
        "job {}, which puts the grades together, ended with exit code {}; why, stands in {}", end.number,
        end.exit_code, jobs.merge.logs.string());
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
