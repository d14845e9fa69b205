// Grades files in separate processes, several at once and within limits, and keeps a journal of finished
// work.
#include "cli/grading_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "cli/options/lab_options.h"
#include "cli/verbs.h"
#include "compile/compile_cache.h"
#include "compile/compiler.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/processes/this_process.h"
#include "core/text.h"
#include "core/work_budget.h"
#include "grading/identity.h"
#include "lab/locate.h"
#include "messages/cli.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

constexpr std::uint64_t kMostSecondsOfChild = 100'000, kMostMib = 1u << 20;

double seconds_from(const char* option, const std::string& text) {
  return static_cast<double>(parse_natural(option, text, kMostSecondsOfChild));
}

}  // namespace

Options limit_options(LimitTexts& texts) {
  return {{"--cpu", " SECONDS", &texts.cpu, "processor time that one file may take; default 10"},
          {"--seconds", " SECONDS", &texts.seconds, "time that one file may take; default 60"},
          {"--memory", " MIB", &texts.memory, "address space that one file may take; default 4096"}};
}

ChildLimits limits_from(const LimitTexts& texts) {
  ChildLimits limits;
  limits.cpu_seconds = seconds_from("--cpu", texts.cpu);
  limits.wall_seconds = seconds_from("--seconds", texts.seconds);
  limits.memory_bytes = parse_natural("--memory", texts.memory, kMostMib) << 20;
  return limits;
}

namespace {

namespace fs = std::filesystem;
using grading::Grade;
using grading::Submission;
using Json = nlohmann::ordered_json;

constexpr int kBarWidth = 30;
// Kernels are limited by steps; the time limits only protect this machine, so exceeding one says nothing
// about the kernel.
constexpr const char* kRanOutOfTime =
    "not verified: a time limit of the grader stopped the run, so there is no verdict; grade again with "
    "more time (--cpu, --seconds)";
constexpr std::size_t kLongestProblem = 200, kLongestPath = 1000, kLargestJournal = 1u << 30,
                      kLargestRule = 64u << 20;

// ---- the journal ------------------------------------------------------------------------------------

// Adds the contents of a file, or of a folder's files with their names, in an order that is the same on every
// machine.
void add_files(const fs::path& path, Digester& digester) {
  if (!is_folder(path)) return digester.add_field(read_content(path, kLargestRule).bytes);
  for (const fs::path& file : entries_of(path)) {
    digester.add_field(file.filename().string());
    if (!is_folder(file)) digester.add_field(read_content(file, kLargestRule).bytes);
  }
}

// Digests what all submissions are graded by: the program, the keys and the cases. Only their contents count,
// not their paths.
std::string stamp_of_rules(const grading::GradingRules& rules) {
  const report::Tool tool = report::this_tool();
  Digester digester;
  for (const std::string& text : {tool.version, tool.commit, rules.exercise,
                                  fmt::format("{} {} {}", rules.verify, rules.seed, rules.steps)})
    digester.add_field(text);
  add_files(rules.keys, digester);
  if (!rules.cases.empty()) add_files(rules.cases, digester);
  return digester.hex();
}

// A digest that decides whether an earlier grade is still valid: same student, same content, same rules.
std::string stamp(const Submission& submission, const std::string& rules) {
  Digester digester;
  for (const std::string& text :
       {rules, submission.file.filename().string(), submission.student, submission.problem,
        submission.expected, submission.submitted, submission.original})
    digester.add_field(text);
  if (submission.problem.empty()) {
    const FileContent content = read_content(submission.file, grading::kLargestDocument + 1);
    digester.add_field(content.bytes);
    digester.add_field(content.problem.text());
  }
  return digester.hex();
}

std::vector<std::string> stamps_of(const GradingRun& run) {
  std::vector<std::string> stamps;
  const std::string rules = stamp_of_rules(run.rules);
  for (const Submission& submission : run.submissions)
    stamps.push_back(run.journal.empty() ? "" : stamp(submission, rules));
  return stamps;
}

// The stamp of a run that exceeded a time limit: such a submission is graded again only under other limits.
std::string stamp_of_undecided(const std::string& stamp, const ChildLimits& limits) {
  return fmt::format("{} within {:g} s, {:g} s", stamp, limits.cpu_seconds, limits.wall_seconds);
}

using KnownGrades = std::map<std::string, Grade>;

// Skips incomplete lines, which an interruption may leave.
void read_journal(const std::string& path, KnownGrades& grades) {
  std::istringstream file(read_file(path, kLargestJournal).value_or(""));
  for (std::string line; std::getline(file, line);) {
    Json entry = Json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    try {
      grades[entry.at("stamp").get<std::string>()] = grading::grade_from(entry.at("grade"));
    } catch (const Json::exception&) {
      continue;
    }
  }
}

KnownGrades read_journals(const std::vector<std::string>& paths) {
  KnownGrades grades;
  for (const std::string& path : paths) read_journal(path, grades);
  return grades;
}

bool goes_on(const GradingRun& run) {
  return std::ranges::find(run.earlier, run.journal) != run.earlier.end();
}

// Returns the earlier grade, or null if there is none or if it was undecided under other limits.
const Grade* known_grade(const KnownGrades& known, const std::string& stamp, const GradingRun& run) {
  auto found = known.find(stamp);
  if (found == known.end()) found = known.find(stamp_of_undecided(stamp, run.limits));
  return found == known.end() ? nullptr : &found->second;
}

class Journal {
 public:
  // `seed` becomes the first line, with which the run can be repeated.
  Journal(const std::string& path, bool resume, std::uint64_t seed) : path_(path), is_new_(!resume) {
    if (path.empty()) return;
    file_.reset(opened(path, resume));
    if (!file_) throw usage_error(msg::journal_not_writable(path, std::strerror(errno)));
    if (resume) std::fputc('\n', file_.get());  // ends a line that was cut off
    write_line({{"run", {{"seed", seed}}}});
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() {
    if (file_ && is_new_ && !has_grades_ && std::uncaught_exceptions() > 0) remove();
  }
  void add(const std::string& stamp, const Grade& grade) {
    if (!file_) return;
    write_line({{"stamp", stamp}, {"grade", grading::to_json(grade)}});
    has_grades_ = true;
  }

 private:
  // Opens without blocking on a pipe that has no reader.
  static std::FILE* opened(const std::string& path, bool resume) {
    const int where = resume ? O_APPEND : O_TRUNC;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | where, 0666);
    if (file < 0) return nullptr;
    ::fcntl(file, F_SETFL, where & O_APPEND);
    return ::fdopen(file, resume ? "a" : "w");
  }

  void write_line(const Json& entry) {
    const std::string line = entry.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const bool is_kept =
        std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
    if (!is_kept) give_up(errno);
  }

  // Deletes the journal: without grades, there is nothing to resume.
  void remove() const {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path_.c_str());
  }

  [[noreturn]] void give_up(int reason) const {
    if (is_new_ && !has_grades_) remove();
    throw unavailable_error(msg::journal_not_writable(path_, std::strerror(reason)));
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  bool is_new_, has_grades_ = false;
  std::unique_ptr<std::FILE, Close> file_;
};

// ---- the processes ----------------------------------------------------------------------------------

std::vector<std::string> words_for(const Submission& submission, const grading::GradingRules& rules) {
  std::vector<std::string> words{this_program_again().string(), kGradeOne,
                                 absolute_path(submission.file).string()};
  words.push_back("--keys=" + absolute_path(rules.keys).string());
  words.push_back(fmt::format("--seed={}", rules.seed));
  words.push_back(fmt::format("--steps={}", rules.steps));
  if (!submission.student.empty()) words.push_back("--student=" + submission.student);
  if (!submission.problem.empty()) words.push_back("--problem=" + submission.problem);
  if (!submission.expected.empty()) words.push_back("--expected=" + submission.expected);
  if (!submission.submitted.empty()) words.push_back("--submitted=" + submission.submitted);
  if (!submission.original.empty()) words.push_back("--original=" + submission.original);
  if (submission.is_certain) words.push_back("--certain");
  if (!rules.cases.empty()) words.push_back("--cases=" + absolute_path(rules.cases).string());
  if (!rules.exercise.empty()) words.push_back("--exercise=" + rules.exercise);
  if (rules.verify) words.push_back("--verify");
  return words;
}

// The child's grade; if it printed none, a grade without marks that gives the reason.
Grade grade_of(const Submission& submission, const grading::GradingRules& rules, const ChildEnd& end) {
  std::string line = last_line(end.output);
  if (line.empty()) line = fmt::format("its process ended with exit code {} and no word", end.exit_code);
  Json text = end.exit_code == 0 ? Json::parse(line, nullptr, false) : Json();
  Grade grade;
  if (text.is_object())
    grade = grading::grade_from(text);
  else
    grade.problem = end.stopped.empty()
                        ? "could not be graded: " + harmless_line(without_program(line), kLongestProblem)
                        : (end.was_late ? grading::kNotVerified : "") + end.stopped.text();
  grade.is_undecided |= end.was_late;
  if (grade.is_undecided) grade.flags.push_back(kRanOutOfTime);
  grading::require_maximum(submission, rules, grade);
  grade.file = harmless_line(submission.file.string(), kLongestPath);
  if (grade.student.empty()) grade.student = harmless_line(submission.student, grading::kLongestName);
  if (!submission.flag.empty()) grade.flags.push_back(submission.flag);
  grade.seconds = end.seconds;
  grade.memory_mib = static_cast<double>(end.peak_memory_bytes) / (1 << 20);
  return grade;
}

// A result document that is too large to verify in time may still be right: it is graded as claimed, and
// flagged.
bool can_go_unverified(const GradingRun& run, std::size_t id) {
  return run.rules.verify && !grading::is_kernel_file(run.submissions[id].file);
}

std::string bar(std::size_t done, std::size_t all, const std::string& student) {
  auto filled = static_cast<std::size_t>(kBarWidth) * done / std::max<std::size_t>(all, 1);
  return fmt::format("[{:<{}}] {} of {}  {}", std::string(filled, '#'), kBarWidth, done, all, student);
}

}  // namespace

// The children run in other folders, so paths in the environment become absolute. They have limited address
// space, of which the C library would reserve 64 MiB per thread. By default, OpenMP threads spin while they
// wait; with one child per processor, spinning would take most of the processor time.
void prepare_for_children() {
  if (!absolute_path(".").is_absolute()) throw usage_error(msg::working_folder_removed());
  ::setenv("MALLOC_ARENA_MAX", "2", 1);
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  ::setenv("CUDALAB_LABS", absolute_path(lab::labs_directory()).c_str(), 1);
  if (std::optional<fs::path> cache = compile::cache_directory())
    ::setenv("CUDALAB_CACHE_DIR", absolute_path(*cache).parent_path().c_str(), 1);
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string without_program(std::string line) {
  constexpr std::string_view kProgram = "cudalab: ";
  return line.starts_with(kProgram) ? line.substr(kProgram.size()) : line;
}

std::optional<std::uint64_t> seed_in_journal(const std::string& journal) {
  std::istringstream file(read_file(journal, kLargestJournal).value_or(""));
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line, nullptr, false);
    if (!entry.is_object() || !entry.contains("run") || !entry["run"].is_object()) continue;
    const Json seed = entry["run"].value("seed", Json());
    if (seed.is_number_unsigned()) return seed.get<std::uint64_t>();
  }
  return std::nullopt;
}

bool has_grades(const std::string& journal) { return !read_journals({journal}).empty(); }

std::vector<Grade> grade_all(const GradingRun& run, const Console& console) {
  prepare_for_children();
  const TemporaryFolder folder("cudalab-grade-");  // holds no other files, so kernels can include none
  const KnownGrades known = read_journals(run.earlier);
  Journal journal(run.journal, goes_on(run), run.rules.seed);
  const std::vector<std::string> stamps = stamps_of(run);
  ChildPool pool(run.limits);
  std::vector<Grade> grades(run.submissions.size());
  Forewarning warning([&](const Message& text) { console.remark_between(console.wording.say(text)); });
  Pace pace([&](double seconds) {
    warning.expect(msg::work_grading_all(), seconds, msg::advice_resume_grading());
  });
  pace.begin(static_cast<std::uint64_t>(std::ranges::count_if(
                 stamps, [&](const std::string& one) { return !known_grade(known, one, run); })),
             run.jobs);
  std::set<std::size_t> unverified;
  std::size_t next = 0, done = 0;
  while (done < grades.size()) {
    while (next < grades.size() && pool.running() < run.jobs) {
      const Submission& submission = run.submissions[next];
      if (const Grade* found = known_grade(known, stamps[next], run))
        ++done, grades[next] = *found,
                grades[next].file = harmless_line(submission.file.string(), kLongestPath);
      else
        pool.start(next, words_for(submission, run.rules), folder.path());
      ++next;
    }
    if (pool.running() == 0) continue;
    auto [id, end] = pool.wait();
    if (end.was_late && can_go_unverified(run, id) && unverified.insert(id).second) {
      grading::GradingRules as_claimed = run.rules;
      as_claimed.verify = false;
      pool.start(id, words_for(run.submissions[id], as_claimed), folder.path());
      continue;
    }
    grades[id] = grade_of(run.submissions[id], run.rules, end);
    if (unverified.contains(id))
      grades[id].flags.push_back("not verified: running it again took longer than it may (--cpu, --seconds)");
    pace.one_more();
    journal.add(grades[id].is_undecided ? stamp_of_undecided(stamps[id], run.limits) : stamps[id],
                grades[id]);
    console.show_progress(bar(++done, grades.size(), grades[id].student));
  }
  console.clear_progress();
  return grades;
}

}  // namespace cudalab::cli
