// Starts a `cudalab grade-one` for each file, reads its grade, and writes the journal.
#include "cli/grading_run.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/verbs.h"
#include "compile/compile_cache.h"
#include "compile/compiler.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/pace.h"
#include "core/processes/this_program.h"
#include "core/temporary_folder.h"
#include "core/text.h"
#include "lab/locate.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using grading::Grade;
using grading::Submission;
using Json = nlohmann::ordered_json;

constexpr int kBarWidth = 30;
constexpr const char* kHowToBeQuicker = "and --journal with --resume goes on from there";
constexpr std::size_t kLongestProblem = 200, kLongestStudent = 100, kLargestJournal = 1u << 30;

// ---- the journal ------------------------------------------------------------------------------------

// What makes an earlier grade still valid: the same file, unchanged, under the same rules.
std::string stamp(const Submission& submission, const grading::GradingRules& rules) {
  struct stat status {};
  bool exists = ::lstat(submission.file.c_str(), &status) == 0;
  return digest(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}.{}\n{}", absolute_path(submission.file).string(),
                            submission.student, rules.keys.string(), rules.exercise, rules.verify,
                            exists ? status.st_size : -1, exists ? status.st_mtim.tv_sec : 0,
                            exists ? status.st_mtim.tv_nsec : 0, submission.problem));
}

using KnownGrades = std::map<std::string, Grade>;

// A line that is cut off, as an interruption leaves it, is not there.
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

class Journal {
 public:
  Journal(const std::string& path, bool resume) : path_(path) {
    if (path.empty()) return;
    file_.reset(std::fopen(path.c_str(), resume ? "ae" : "we"));
    if (!file_) throw usage_error("cannot write the journal {}; choose another with --journal", path);
    if (resume) std::fputc('\n', file_.get());  // ends a line that was cut off
  }
  void add(const std::string& stamp, const Grade& grade) {
    if (!file_) return;
    const Json entry{{"stamp", stamp}, {"grade", grading::to_json(grade)}};
    const std::string line = entry.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const bool is_kept =
        std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
    if (!is_kept) give_up(errno);
  }

 private:
  // One that has nothing is nothing to go on with.
  [[noreturn]] void give_up(int reason) const {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
      ::unlink(path_.c_str());
    throw unavailable_error("cannot write the journal {}: {}; choose another with --journal", path_,
                            std::strerror(reason));
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// ---- the processes ----------------------------------------------------------------------------------

std::vector<std::string> words_for(const Submission& submission, const grading::GradingRules& rules) {
  std::vector<std::string> words{this_program_again().string(), kGradeOne,
                                 absolute_path(submission.file).string()};
  words.push_back("--keys=" + absolute_path(rules.keys).string());
  words.push_back(fmt::format("--seed={}", rules.seed));
  if (!submission.student.empty()) words.push_back("--student=" + submission.student);
  if (!submission.problem.empty()) words.push_back("--problem=" + submission.problem);
  if (!rules.exercise.empty()) words.push_back("--exercise=" + rules.exercise);
  if (rules.verify) words.push_back("--verify");
  return words;
}

// The children run in another folder: what the environment says about paths must not depend on it. Their
// address space is limited, and the C library would reserve 64 MiB of it for each of their threads.
void prepare_environment() {
  if (!absolute_path(".").is_absolute())
    throw usage_error("the folder in which this runs was removed; change to another and start again");
  ::setenv("MALLOC_ARENA_MAX", "2", 1);
  ::setenv("CUDALAB_LABS", absolute_path(lab::labs_directory()).c_str(), 1);
  if (std::optional<fs::path> cache = compile::cache_directory())
    ::setenv("CUDALAB_CACHE_DIR", absolute_path(*cache).parent_path().c_str(), 1);
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// A child's grade; or one without marks, which says why there is none.
Grade grade_of(const Submission& submission, const ChildEnd& end) {
  std::string line = last_line(end.output);
  if (line.empty()) line = fmt::format("its process ended with exit code {} and no word", end.exit_code);
  Json text = end.exit_code == 0 ? Json::parse(line, nullptr, false) : Json();
  Grade grade;
  if (text.is_object())
    grade = grading::grade_from(text);
  else
    grade.problem =
        end.stopped.empty() ? "could not be graded: " + harmless_line(line, kLongestProblem) : end.stopped;
  if (grade.student.empty()) grade.student = harmless_line(submission.student, kLongestStudent);
  grade.seconds = end.seconds;
  grade.memory_mib = static_cast<double>(end.peak_memory_bytes) / (1 << 20);
  return grade;
}

std::string bar(std::size_t done, std::size_t all, const std::string& student) {
  auto filled = static_cast<std::size_t>(kBarWidth) * done / std::max<std::size_t>(all, 1);
  return fmt::format("[{:<{}}] {} of {}  {}", std::string(filled, '#'), kBarWidth, done, all, student);
}

}  // namespace

std::vector<Grade> grade_all(const GradingRun& run, const Console& console) {
  prepare_environment();
  const TemporaryFolder folder("cudalab-grade-");  // no file stands beside what the children compile
  const KnownGrades known = read_journals(run.earlier);
  Journal journal(run.journal, goes_on(run));
  ChildPool pool(run.limits);
  std::vector<Grade> grades(run.submissions.size());
  Forewarning warning([&](const std::string& text) { console.remark_between(text); });
  Pace pace([&](double seconds) { warning.expect("grading them all", seconds, kHowToBeQuicker); });
  pace.begin(
      static_cast<std::uint64_t>(std::ranges::count_if(
          run.submissions, [&](const Submission& one) { return !known.contains(stamp(one, run.rules)); })),
      run.jobs);
  std::size_t next = 0, done = 0;
  while (done < grades.size()) {
    while (next < grades.size() && pool.running() < run.jobs) {
      const Submission& submission = run.submissions[next];
      auto found = known.find(stamp(submission, run.rules));
      if (found != known.end())
        ++done, grades[next] = found->second, grades[next].file = submission.file.string();
      else
        pool.start(next, words_for(submission, run.rules), folder.path());
      ++next;
    }
    if (pool.running() == 0) continue;
    auto [id, end] = pool.wait();
    grades[id] = grade_of(run.submissions[id], end);
    grades[id].file = run.submissions[id].file.string();
    pace.one_more();
    journal.add(stamp(run.submissions[id], run.rules), grades[id]);
    console.show_progress(bar(++done, grades.size(), grades[id].student));
  }
  console.clear_progress();
  return grades;
}

}  // namespace cudalab::cli
