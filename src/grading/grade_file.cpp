// Grades a file: result documents by rubrics, kernel files by exercises.
#include "grading/grade_file.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <set>

#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "grading/identity.h"
#include "grading/submission.h"
#include "grading/verify.h"
#include "lab/lab.h"

namespace cudalab::grading {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLimit = 300;

// Finds a document's lab; without one, sets grade.problem.
const lab::Lab* lab_called(const std::string& name, Grade& grade) {
  const lab::Lab* lab = lab::find_lab(name);
  if (lab == nullptr || lab->name != name)
    grade.problem =
        fmt::format("is of the lab {}, which this version of cudalab does not have", harmless_line(name, 40));
  return grade.problem.empty() ? lab : nullptr;
}

void apply_verification(const nlohmann::json& document, const lab::Lab& lab, const fs::path& folder,
                        const Rubric& rubric, Grade& grade) {
  Verification verification;
  try {
    verification = verify(document, lab, folder);
  } catch (const OutOfTime& error) {
    grade.flags.push_back(kNotVerified + error.what());
    return;
  } catch (const Error& error) {
    if (error.code() != ExitCode::kUsage) throw;
    verification.differences = {error.what()};
  }
  if (verification.differences.empty()) {
    const std::string whose = grade.student;
    grade_document(with_what_was_seen(document, verification.again), rubric, grade, Evidence::kSeenAgain);
    grade.student = whose;
  } else
    forfeit(grade, "gives other results when it is run again: " + summary(verification.differences));
  for (const std::string& sentence : verification.unverified) grade.flags.push_back(kNotVerified + sentence);
}

// A document of the wrong student forfeits its points if a roster or --student says which student is
// expected. Otherwise, a mismatch only flags the grade.
void require_expected(const Submission& submission, const nlohmann::json& document, Grade& grade) {
  const std::string named = harmless_line(text_at(document, "student"), kLongestName);
  const std::string says = named.empty() ? "the document names no student"
                                         : fmt::format("the document is of the student {}", named);
  if (!submission.expected.empty() && named != submission.expected) {
    grade.flags.push_back(
        fmt::format("{}, and {} is expected", says, harmless_line(submission.expected, kLongestName)));
    forfeit(grade,
            "is not of the student who handed it in: run the lab again with --student and your own name");
  } else if (submission.expected.empty() && submission.is_certain && !named.empty() &&
             named != grade.student) {
    grade.flags.push_back(fmt::format("{}, and its folder or platform says {}", says, grade.student));
  }
}

void grade_text_as_document(const std::string& text, const Submission& submission, const GradingRules& rules,
                            Grade& grade) {
  Document document = document_from(text);
  grade.problem = document.problem;
  if (!grade.problem.empty()) return;
  const lab::Lab* lab = lab_called(document.lab, grade);
  if (lab == nullptr) return;
  std::optional<Rubric> rubric = load_rubric(rules.keys, document.lab);
  if (!rubric) {
    grade.problem = fmt::format("is of the lab {}, which has no answer key here", document.lab);
    return;
  }
  const std::string whose = grade.student;
  grade_document(document.json, *rubric, grade);
  if (submission.is_certain) grade.student = whose;
  if (std::vector<std::string> wrong = objections(document.json); !wrong.empty())
    forfeit(grade, summary(wrong));
  if (document.json.value("stopped", nlohmann::json()) == true)
    forfeit(
        grade,
        "is incomplete, because a limit or Ctrl-C stopped the run: run the lab again and hand in the whole "
        "document");
  require_expected(submission, document.json, grade);
  if (rules.verify && grade.problem.empty())
    apply_verification(document.json, *lab, submission.file.parent_path(), *rubric, grade);
}

void grade_kernel_in_time(const Submission& submission, const std::string& text, const GradingRules& rules,
                          Grade& grade) {
  try {
    grade_kernel(submission, text, rules, grade);
  } catch (const OutOfTime& error) {
    grade.is_undecided = true;
    grade.problem = kNotVerified + harmless_line(error.what(), kLongestLimit);
  }
}

Grade graded(const Submission& submission, const GradingRules& rules) {
  Grade grade;
  grade.file = harmless_line(submission.file.string(), 1000);
  grade.student = harmless_line(submission.student, kLongestName);
  grade.submitted = harmless_line(submission.submitted, 60);
  grade.problem = submission.problem;
  if (!grade.problem.empty()) return grade;
  bool is_kernel = is_kernel_file(submission.file);
  FileText file = read_submission(submission.file, is_kernel ? kLargestKernel : kLargestDocument);
  grade.problem = file.problem;
  if (!grade.problem.empty()) return grade;
  grade.content = digest(file.text);
  if (is_kernel)
    grade_kernel_in_time(submission, file.text, rules, grade);
  else
    grade_text_as_document(file.text, submission, rules, grade);
  return grade;
}

// Guesses the rubric of an unreadable document: the only answer key, or that of the lab after which the file
// or its folder is named.
std::optional<Rubric> rubric_of_file(const fs::path& file, const fs::path& keys) {
  for (const lab::Lab& lab : lab::labs()) {
    const bool is_named = file.stem() == lab.name || file.parent_path().filename() == lab.name;
    if (is_folder(keys) && !is_named) continue;
    if (std::optional<Rubric> rubric = load_rubric(keys, lab.name)) return rubric;
  }
  return std::nullopt;
}

// For grades of the same work with equal texts, adds a flag that names another such grade and the number of
// further ones.
void flag_equal(std::vector<Grade>& grades, const std::vector<std::string>& texts,
                std::string_view sentence) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < grades.size(); ++i)
    if (!texts[i].empty()) groups[grades[i].lab + '/' + grades[i].exercise + '/' + texts[i]].push_back(i);
  for (const auto& [text, members] : groups) {
    if (members.size() < 2) continue;
    std::string more = members.size() > 2 ? fmt::format(" and {} more", members.size() - 2) : "";
    for (std::size_t i : members) {
      std::size_t other = i == members.front() ? members.back() : members.front();
      grades[i].flags.push_back(fmt::format("{} {}{}", sentence, grades[other].file, more));
    }
  }
}

std::vector<std::string> all(const std::vector<Grade>& grades, std::string Grade::*what) {
  std::vector<std::string> texts;
  for (const Grade& grade : grades) texts.push_back(grade.*what);
  return texts;
}

// Fingerprints of kernels or of documents. Of identical files, only the first has one, since identical files
// are flagged separately.
std::vector<std::string> fingerprints_of_distinct(const std::vector<Grade>& grades, bool of_kernels) {
  std::vector<std::string> fingerprints;
  std::set<std::string> seen;
  for (const Grade& grade : grades) {
    const bool is_new = grade.content.empty() || seen.insert(grade.content).second;
    fingerprints.push_back(is_new && is_kernel_file(grade.file) == of_kernels ? grade.fingerprint : "");
  }
  return fingerprints;
}

}  // namespace

bool is_kernel_file(const fs::path& file) { return file.extension() == ".cu"; }

void require_maximum(const Submission& submission, const GradingRules& rules, Grade& grade) {
  if (!grade.marks.empty()) return;
  if (is_kernel_file(submission.file)) return put_at_stake(submission, rules, grade);
  const std::optional<Rubric> rubric = rubric_of_file(name_of(submission), rules.keys);
  if (!rubric) return;
  grade_document(nlohmann::json::object(), *rubric, grade);
  forfeit(grade, std::string(grade.problem));
}

Grade grade_file(const Submission& submission, const GradingRules& rules) {
  auto start = std::chrono::steady_clock::now();
  Grade grade = graded(submission, rules);
  require_maximum(submission, rules, grade);
  grade.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return grade;
}

void flag_copies(std::vector<Grade>& grades) {
  flag_equal(grades, all(grades, &Grade::content), "the same bytes as");
  flag_equal(grades, fingerprints_of_distinct(grades, true), "the same, apart from blanks, as");
  flag_equal(grades, fingerprints_of_distinct(grades, false), "with all times to the last digit as in");
  flag_equal(grades, all(grades, &Grade::student), "the same student also handed in");
}

}  // namespace cudalab::grading
