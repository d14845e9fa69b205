// `cudalab grade`: grades result documents and kernel files, and writes the grades in the formats of learning
// platforms. Also the hidden `cudalab grade-one`, which grades one file in a process of its own.
#include "cli/verbs/grade.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include "cli/grading_run.h"
#include "cli/learner.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "compile/clang/clang.h"
#include "compile/compiler.h"
#include "compile/programs.h"
#include "compile/untrusted_source.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/text.h"
#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "grading/formats.h"
#include "grading/grade_file.h"
#include "grading/identity.h"
#include "grading/likeness.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using grading::Grade;

constexpr const char *kDefaultJournal = "cudalab-grades.jsonl", *kDefaultPages = "cudalab-grades";

enum class Format {
  kTable,
  kCsv,
  kJson,
  kGradescope,
  kClassroom,
  kJunit,
  kMoodle,
  kMoodleWorksheet,
  kCanvas,
  kTotals
};
constexpr Named<Format> kFormats[]{
    {"table", Format::kTable},         {"csv", Format::kCsv},
    {"json", Format::kJson},           {"gradescope", Format::kGradescope},
    {"classroom", Format::kClassroom}, {"junit", Format::kJunit},
    {"moodle", Format::kMoodle},       {"moodle-worksheet", Format::kMoodleWorksheet},
    {"canvas", Format::kCanvas},       {"totals", Format::kTotals}};

}  // namespace

Options grade_options(GradeTexts& texts) {
  return Options{
             required({"FILE", "", &texts.files, "result documents, kernel files (.cu), or folders of them"}),
             {"--format", " " + alternatives(kFormats), &texts.format,
              "the format of the output; default table"},
             {"--output", " PATH", &texts.output,
              "the file to write; a folder for several gradescope or classroom documents"},
             {"--html", "[=FOLDER]", MayBeBare{&texts.html, kDefaultPages},
              "also write pages: class.html, and one page per student without data of other students"},
             {"--key", " PATH", &texts.key,
              "the answer keys: a folder of LAB.json files, or one file; default: those of cudalab"},
             {"--exercise", " NAME", &texts.exercise,
              "the exercise that kernel files solve; default: as their names say"},
             {"--student", " ID", &texts.student,
              "the student who submitted; the document must name the same student"},
             {"--roster", " FILE.csv", &texts.roster,
              "the class: platform's id, name, student as typed; a document must name the student of its id"},
             {"--verify", "", &texts.verify,
              "rerun result documents, and give no points for results that differ"},
             {"--cases", " FILE", &texts.cases,
              "your own cases for kernel files, {\"padded-tile\": [{\"rows\": 5}]}: run in addition to the "
              "exercise's"},
             {"--jobs", " N", &texts.jobs,
              "files at the same time, or tasks with --slurm; default: one per processor"},
             {"--seed", " N", &texts.seed,
              "the seed of the inputs for kernel files; default: a new one each time"},
             {"--journal", " PATH", &texts.journal,
              "where grades are stored as they arrive: a file, by default cudalab-grades.jsonl; with "
              "--slurm, a folder"},
             {"--resume", "", &texts.resume, "continue an interrupted run from its journal"},
             {"--slurm", "", &texts.slurm, "grade with the cluster's Slurm, in an array of jobs"},
             {"--partition", " NAME", &texts.partition,
              "the partition of the cluster, for --slurm; default: the cluster's default"},
             {"--wait", "", &texts.wait, "with --slurm: wait until the jobs are done, then show the grades"},
             color_option(texts.color, "colour the table"),
         } +
         limit_options(texts.limits) + book_options(texts);
}

namespace {

std::size_t jobs_from(const std::string& text) {
  if (text.empty()) return std::max(1u, std::thread::hardware_concurrency());
  return std::max<std::size_t>(1, parse_natural("--jobs", text, kMostJobs));
}

fs::path keys_from(const std::string& text) {
  fs::path keys = text.empty() ? grading::keys_directory() : fs::path(text);
  if (nothing_is_at(keys)) throw usage_error(msg::grade_keys_missing(keys.string()));
  return keys;
}

std::string journal_of(const GradeTexts& texts) {
  return texts.journal.empty() ? kDefaultJournal : texts.journal;
}

// By default, each run draws a fresh seed, so kernels cannot know their inputs. All submissions share one
// seed, and a resumed run takes it from its journal.
std::uint64_t seed_from(const GradeTexts& texts) {
  if (!texts.seed.empty()) return parse_natural("--seed", texts.seed, UINT64_MAX);
  if (const auto kept = texts.resume ? seed_in_journal(journal_of(texts)) : std::nullopt) return *kept;
  const auto earlier = earlier_run_of(texts);
  return earlier && earlier->seed ? *earlier->seed : std::random_device{}();
}

}  // namespace

void require_exercise(const Course& all, const std::string& name) {
  if (name.empty() || course::find_exercise(all, name) != nullptr) return;
  std::vector<std::string> names;
  for (const course::Exercise& exercise : all) names.push_back(exercise.name);
  throw usage_error(msg::exercise_unknown(name, did_you_mean(name, names)));
}

namespace {

// A whole program contains host code, which is untrusted.
void require_sandbox_for_programs(const Course& all, const GradingRun& run) {
  for (const grading::Submission& submission : run.submissions) {
    if (!grading::is_kernel_file(submission.file)) continue;
    const course::Exercise* exercise = run.rules.exercise.empty()
                                           ? course::exercise_of_file(all, grading::name_of(submission))
                                           : course::find_exercise(all, run.rules.exercise);
    if (!exercise || !exercise->is_program) continue;
    if (!compile::find_program_compiler())
      throw unavailable_error(
          msg::grade_program_needs_compiler(submission.file.string(), compile::kLeastClang));
    return require_sandbox();
  }
}

// Checks requirements of this machine and the keys before grading, because a missing compiler or an invalid
// key would fail the whole class.
void look_ahead(const GradingRun& run) {
  bool runs_kernels = run.rules.verify;
  for (const grading::Submission& submission : run.submissions)
    runs_kernels |= grading::is_kernel_file(submission.file);
  if (runs_kernels && !compile::has_compiler()) compile::require_compiler();
  if (runs_kernels && compile::is_untrusted_by_clang()) require_sandbox();
  const Course all = load_whole_course({});
  require_exercise(all, run.rules.exercise);
  grading::require_own_cases(run.rules.cases, all);
  require_sandbox_for_programs(all, run);
  for (const lab::Lab& lab : lab::labs())
    if (const auto rubric = grading::load_rubric(run.rules.keys, lab.name))
      grading::require_known_parts(*rubric, all);
}

void name_students(const GradeTexts& texts, std::vector<grading::Submission>& submissions) {
  if (!texts.student.empty() && !texts.roster.empty()) throw usage_error(msg::grade_student_and_roster());
  if (!texts.student.empty()) grading::expect_student(texts.student, submissions);
  if (!texts.roster.empty())
    grading::expect_roster(grading::roster_from(read_text(texts.roster), texts.roster), submissions);
}

// A higher time limit raises the step limit in proportion. It is never lower than in a learner's own check.
std::uint64_t steps_within(const ChildLimits& limits) {
  const double times = std::max(1.0, limits.cpu_seconds / ChildLimits{}.cpu_seconds);
  return static_cast<std::uint64_t>(times * static_cast<double>(course::kStepsOfACheck));
}

}  // namespace

std::vector<grading::Submission> submissions_from(const GradeTexts& texts, const Console& console) {
  std::vector<grading::Submission> submissions = grading::find_submissions(texts.files);
  for (const fs::path& foreign : grading::set_foreign_files_aside(submissions))
    console.remark(console.wording.say(msg::foreign_file(foreign.string())));
  return submissions;
}

GradingRun grading_run_from(const GradeTexts& texts, std::vector<grading::Submission> submissions) {
  GradingRun run;
  run.submissions = std::move(submissions);
  if (run.submissions.empty()) throw usage_error(msg::grade_nothing_found(texts.files.front()));
  name_students(texts, run.submissions);
  run.limits = limits_from(texts.limits);
  run.rules = {.keys = keys_from(texts.key),
               .exercise = texts.exercise,
               .verify = texts.verify,
               .seed = seed_from(texts),
               .steps = steps_within(run.limits),
               .cases = texts.cases};
  look_ahead(run);
  return run;
}

namespace {

void keep_journal(const GradeTexts& texts, GradingRun& run) {
  bool keeps_journal = run.submissions.size() > 1 || texts.resume || !texts.journal.empty();
  if (keeps_journal) run.journal = journal_of(texts);
  if (texts.resume) run.earlier = {run.journal};
}

// ---- writing ----------------------------------------------------------------------------------------

std::string timestamp() { return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::localtime(std::time(nullptr))); }

bool is_one_a_submission(Format format) {
  return format == Format::kGradescope || format == Format::kClassroom;
}

std::string text_of(Format format, const std::vector<Grade>& grades, const grading::TableStyle& style,
                    const grading::ClassFacts& facts) {
  switch (format) {
    case Format::kTable: return grading::table_text(grades, style, facts);
    case Format::kCsv: return grading::csv_text(grades);
    case Format::kJson: return grading::json_text(grades, facts);
    case Format::kGradescope: return grading::gradescope_text(grades.front());
    case Format::kClassroom: return grading::classroom_text(grades.front());
    case Format::kJunit: return grading::junit_text(grades, timestamp());
    case Format::kMoodle: return grading::moodle_text(grades);
    case Format::kMoodleWorksheet: return grading::moodle_worksheet_text(grades);
    case Format::kCanvas: return grading::canvas_text(grades);
    case Format::kTotals: return grading::totals_text(grades, facts.expected);
  }
  return {};
}

// Replaces characters that a file name may not contain: a student's name can be any text.
std::string file_name_for(const std::string& student, std::size_t number, std::string_view ending) {
  std::string name;
  for (const char letter : student) name += is_word(letter) || letter == '-' ? letter : '_';
  return fmt::format("{:04}-{}.{}", number, name.substr(0, 80), ending);
}

void write_folder(const fs::path& folder, Format format, const std::vector<Grade>& grades) {
  make_folder(folder);
  for (std::size_t i = 0; i < grades.size(); ++i)
    OutputFile((folder / file_name_for(grades[i].student, i + 1, "json")).string())
        .write(text_of(format, {grades[i]}, {}, {}));
}

// Writes one page per student, in order of first appearance.
void write_pages(const fs::path& folder, const std::vector<Grade>& grades, const grading::ClassFacts& facts,
                 const Console& console) {
  std::vector<std::pair<std::string, std::vector<Grade>>> students;
  for (const Grade& grade : grades) {
    const std::string owner = grading::owner_of(grade);
    auto known = std::ranges::find(students, owner, &std::pair<std::string, std::vector<Grade>>::first);
    if (known == students.end()) known = students.insert(students.end(), {owner, {}});
    known->second.push_back(grade);
  }
  make_folder(folder);
  OutputFile((folder / "class.html").string()).write(grading::class_page(grades, facts.expected));
  for (std::size_t i = 0; i < students.size(); ++i)
    OutputFile((folder / file_name_for(students[i].first, i + 1, "html")).string())
        .write(grading::student_page(students[i].first, students[i].second));
  console.remark(
      fmt::format("the pages are {} and one a student beside it", (folder / "class.html").string()));
}

// Writes the document that --format selects.
Writer document_writer(const GradeTexts& texts, const GradingRun& run, const Console& console) {
  Format format = chosen("--format", texts.format, kFormats);
  bool colour = console.colour(chosen("--color", texts.color, kColours));
  const grading::TableStyle style{colour && texts.output.empty(), console.width};
  if (is_one_a_submission(format) && run.submissions.size() > 1) {
    if (texts.output.empty()) throw usage_error(msg::grade_format_needs_output(texts.format));
    fs::path folder = texts.output;
    return [=](const std::vector<Grade>& grades, const grading::ClassFacts&, const Console&) {
      write_folder(folder, format, grades);
    };
  }
  if (texts.output.empty())
    return [=](const std::vector<Grade>& grades, const grading::ClassFacts& facts, const Console& to) {
      to.print(text_of(format, grades, style, facts));
    };
  auto file = std::make_shared<OutputFile>(texts.output);
  return [=](const std::vector<Grade>& grades, const grading::ClassFacts& facts, const Console&) {
    file->write(text_of(format, grades, style, facts));
  };
}

}  // namespace

Writer writer_from(const GradeTexts& texts, const GradingRun& run, const Console& console) {
  const Writer write = document_writer(texts, run, console);
  if (!texts.html) return write;
  make_folder(*texts.html);
  return [write, folder = fs::path(*texts.html)](const std::vector<Grade>& grades,
                                                 const grading::ClassFacts& facts, const Console& to) {
    write(grades, facts, to);
    write_pages(folder, grades, facts, to);
  };
}

namespace {

bool all_full(const std::vector<Grade>& grades) {
  return std::all_of(grades.begin(), grades.end(), [](const Grade& grade) { return grade.is_full(); });
}

}  // namespace

ExitCode grade_and_write(const GradingRun& run, const BookRules& book, const Writer& write,
                         const Console& console) {
  std::vector<Grade> grades = grade_all(run, console);
  grading::flag_copies(grades);
  grading::flag_likeness(run.submissions, grades);
  grading::level_maxima(grades);
  const std::vector<Grade> gone = booked(book, run.submissions, grades);
  write(grades, {run.rules.seed, book.expected, gone}, console);
  return all_full(grades) ? ExitCode::kPassed : ExitCode::kFailed;
}

namespace {

ExitCode grade_here(const GradeTexts& texts, const Console& console) {
  if (texts.wait || !texts.partition.empty())
    throw usage_error(msg::option_needs_slurm(texts.wait ? "--wait" : "--partition"));
  GradingRun run = grading_run_from(texts, submissions_from(texts, console));
  run.jobs = jobs_from(texts.jobs);
  keep_journal(texts, run);
  const BookRules book = book_rules_from(texts, run.submissions);
  Writer write = writer_from(texts, run, console);
  const std::string way_on = fmt::format("{} has what is graded so far: go on with --resume", run.journal);
  if (!run.journal.empty()) say_when_interrupted("cudalab: stopped; " + way_on + "\n");
  std::error_code ignored;
  try {
    const ExitCode code = grade_and_write(run, book, write, console);
    console.finish();
    if (texts.journal.empty() && !run.journal.empty())
      fs::remove(run.journal, ignored);  // only needed to resume an interrupted run
    return code;
  } catch (const Error&) {
    if (has_grades(run.journal)) console.remark_between(way_on);
    throw;
  }
}

ExitCode grade(const GradeTexts& texts, const Console& console) {
  return texts.slurm ? grade_on_cluster(texts, console) : grade_here(texts, console);
}

// ---- one file ---------------------------------------------------------------------------------------

struct OneTexts {
  std::string file, student, problem, keys, exercise, expected, submitted, original, cases,
      seed = "1", steps = std::to_string(course::kStepsOfACheck);
  bool verify = false, is_certain = false;
};

Options options_of_one(OneTexts& texts) {
  return {
      required({"FILE", "", &texts.file, "the file"}),
      {"--student", "", &texts.student, "whose it is"},
      {"--keys", "", &texts.keys, "the answer keys"},
      {"--exercise", "", &texts.exercise, "of a kernel file"},
      {"--seed", "", &texts.seed, "of a kernel file's inputs"},
      {"--steps", "", &texts.steps, "of all launches of a kernel file"},
      {"--cases", "", &texts.cases, "more cases for kernel files"},
      {"--problem", "", &texts.problem, "why it is not to be opened"},
      {"--expected", "", &texts.expected, "the student that a document must name"},
      {"--submitted", "", &texts.submitted, "when"},
      {"--original", "", &texts.original, "the file's name before a platform gave it another"},
      {"--certain", "", &texts.is_certain, "the student's name is known, not guessed from the file's name"},
      {"--verify", "", &texts.verify, "run a document again"}};
}

ExitCode grade_one(const OneTexts& texts, const Console& console) {
  let_the_limit_on_time_kill();
  const grading::GradingRules rules{.keys = texts.keys,
                                    .exercise = texts.exercise,
                                    .verify = texts.verify,
                                    .seed = parse_natural("--seed", texts.seed, UINT64_MAX),
                                    .steps = parse_natural("--steps", texts.steps, UINT64_MAX),
                                    .cases = texts.cases};
  Grade grade = grading::grade_file({texts.file, texts.student, texts.problem, texts.is_certain,
                                     texts.expected, texts.submitted, texts.original},
                                    rules);
  console.say_line(
      grading::to_json(grade).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return ExitCode::kPassed;
}

}  // namespace

Verb grade_verb() {
  return {
      .name = "grade",
      .alias = "",
      .summary = "grade result documents and kernel files, for instructors",
      .examples = {"cudalab grade submissions/",
                   "cudalab grade submissions/ --verify --format csv --output grades.csv",
                   "cudalab grade kernels/ --exercise padded-tile --jobs 8",
                   "cudalab grade submissions/ --html=pages",
                   "cudalab grade result.json --format gradescope --output results.json"},
      .declare = with_options(grade_options, grade),
      .more_help =
          "Exit code 0: every submission has all points; 1: at least one has not. See docs/grading.md.\n"};
}

Verb grade_one_verb() {
  return {.name = kGradeOne,
          .alias = "",
          .summary = "grade one file; used by `grade`",
          .examples = {},
          .declare = with_options(options_of_one, grade_one)};
}

}  // namespace cudalab::cli
