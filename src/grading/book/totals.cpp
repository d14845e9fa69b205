// Groups grades by student and work.
#include "grading/book/totals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "grading/book/moment.h"

namespace cudalab::grading {
namespace {

constexpr const char* kNotGraded = "not graded";

// Numbers for texts, in the order in which they first come.
class Numbering {
 public:
  std::size_t of(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

std::string only_work(std::span<const Grade> grades) {
  std::string only;
  for (const Grade& grade : grades) {
    if (!grade.work().empty() && !only.empty() && grade.work() != only) return kNotGraded;
    if (!grade.work().empty()) only = grade.work();
  }
  return only.empty() ? kNotGraded : only;
}

const std::string& work_of(const Grade& grade, const std::string& of_none) {
  return grade.work().empty() ? of_none : grade.work();
}

// ---- attempts ------------------------------------------------------------------------------------------

using Attempts = std::vector<Grade*>;

// Who has points has them; of those without, one that may yet turn out better comes first.
Grade* best_of(const Attempts& attempts) {
  return *std::ranges::max_element(
      attempts, {}, [](const Grade* grade) { return std::pair(grade->points(), grade->is_undecided); });
}

// Null where that is not known: a time lacks, or two are the last.
Grade* last_of(const Attempts& attempts) {
  Grade* last = nullptr;
  std::optional<std::int64_t> latest;
  bool is_alone = true;
  for (Grade* grade : attempts) {
    const auto came = moment_from(grade->submitted, DayMeans::kItsBeginning);
    if (!came) return nullptr;
    if (latest && *came < *latest) continue;
    is_alone = !latest || *came > *latest;
    latest = came;
    last = grade;
  }
  return is_alone ? last : nullptr;
}

void say_what_may_be_better(const Attempts& attempts, const Grade& chosen) {
  for (Grade* grade : attempts)
    if (grade->is_undecided && grade != &chosen && chosen.points() < grade->at_stake())
      grade->flags.push_back("another attempt counts as long as this one is not verified");
}

void choose(Attempt attempt, const Attempts& attempts) {
  if (attempts.size() < 2) return;
  Grade* chosen = attempt == Attempt::kLast ? last_of(attempts) : nullptr;
  if (!chosen) {
    chosen = best_of(attempts);
    say_what_may_be_better(attempts, *chosen);
    if (attempt == Attempt::kLast)
      chosen->flags.push_back("which attempt was the last is not known: the best one counts");
  }
  for (Grade* grade : attempts) grade->counts = grade == chosen;
}

// ---- totals --------------------------------------------------------------------------------------------

double without_rounding_errors(double points) { return std::round(points * 1e9) / 1e9; }

void add_up(const Totals& totals, StudentTotal& student) {
  for (std::size_t work = 0; work < totals.works.size(); ++work) {
    if (totals.works[work] == kNotGraded && totals.works.size() > 1) continue;
    const Grade* grade = student.counting[work];
    if (grade && grade->is_undecided) student.undecided.push_back(totals.works[work]);
    student.points += grade ? grade->points() : 0;
    student.most += grade ? grade->most() : totals.most[work];
    student.at_stake += grade ? grade->at_stake() : totals.most[work];
  }
  student.points = without_rounding_errors(student.points);
  student.most = without_rounding_errors(student.most);
  student.at_stake = without_rounding_errors(student.at_stake);
}

void count(const Grade& grade, const Grade*& counting) {
  const bool is_better = !counting || (grade.counts && !counting->counts) ||
                         (grade.counts == counting->counts && grade.points() > counting->points());
  if (is_better) counting = &grade;
}

}  // namespace

std::string StudentTotal::points_in_words(std::string_view without_mark) const {
  return undecided.empty() ? points_text(points) : std::string(without_mark);
}

void choose_attempts(Attempt attempt, std::vector<Grade>& grades) {
  const std::string of_none = only_work(grades);
  std::map<std::pair<std::string, std::string>, Attempts> by_work;
  for (Grade& grade : grades) by_work[{grade.student, work_of(grade, of_none)}].push_back(&grade);
  for (const auto& [whose, attempts] : by_work) choose(attempt, attempts);
}

Totals totals_of(std::span<const Grade> grades, std::span<const std::string> expected) {
  const std::string of_none = only_work(grades);
  Numbering works, students;
  for (const Grade& grade : grades)
    if (!grade.work().empty()) works.of(grade.work());
  for (const Grade& grade : grades) works.of(work_of(grade, of_none)), students.of(grade.student);
  for (const std::string& student : expected) students.of(student);
  Totals totals{works.texts(), std::vector<double>(works.texts().size()), {}};
  for (const std::string& student : students.texts())
    totals.students.push_back({student, std::vector<const Grade*>(totals.works.size())});
  for (const Grade& grade : grades) {
    const std::size_t work = works.of(work_of(grade, of_none));
    totals.most[work] = std::max(totals.most[work], grade.at_stake());
    count(grade, totals.students[students.of(grade.student)].counting[work]);
  }
  for (StudentTotal& student : totals.students) add_up(totals, student);
  return totals;
}

}  // namespace cudalab::grading
