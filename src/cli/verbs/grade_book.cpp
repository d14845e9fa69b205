// Parses the options on totals, lateness, manual changes and earlier runs, and applies them to grades.
#include "cli/verbs/grade_book.h"

#include <algorithm>

#include "cli/learner.h"
#include "cli/options/option.h"
#include "cli/verbs/grade.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "course/exercise.h"
#include "grading/book/totals.h"
#include "lab/lab.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

using grading::Grade;

constexpr Named<grading::Attempt> kAttempts[]{{"best", grading::Attempt::kBest},
                                              {"last", grading::Attempt::kLast}};
constexpr const char* kUsualPenalty = "10/day";

void require_work(const Course& all, const std::string& name) {
  if (const lab::Lab* lab = lab::find_lab(name); !lab || lab->name != name) require_exercise(all, name);
}

// Rejects unknown names: a deadline under a misspelled name would never apply.
std::map<std::string, grading::Deadline> deadlines_of_known_works(const std::string& text) {
  auto deadlines = grading::deadlines_from(text);
  const Course all = load_whole_course({});
  for (const auto& [work, deadline] : deadlines) require_work(all, work);
  return deadlines;
}

std::vector<std::string> known_works(const std::string& text) {
  std::vector<std::string> works;
  if (text.empty()) return works;
  const Course all = load_whole_course({});
  for (const std::string_view name : split(text, ',')) {
    works.emplace_back(trimmed(name));
    require_work(all, works.back());
  }
  return works;
}

void require_times(const grading::LateRules& late, const std::vector<grading::Submission>& submissions) {
  const auto has_deadline = [](const grading::Submission& one) { return one.is_late || !one.due.empty(); };
  if (late.penalty && late.deadlines.empty() && std::ranges::none_of(submissions, has_deadline))
    throw usage_error(msg::late_needs_deadline());
}

bool is_a_work(const Course& all, const std::string& name) {
  const lab::Lab* lab = lab::find_lab(name);
  return (lab && lab->name == name) || course::find_exercise(all, name);
}

// A roster may have any columns. One with times but an unknown name is an error, because its times would be
// ignored.
void require_known_times(const std::vector<grading::RosterEntry>& roster, const std::string& place) {
  const Course all = load_whole_course({});
  for (const grading::RosterEntry& entry : roster)
    for (const auto& [column, text] : entry.submitted_of)
      if (!is_a_work(all, column) && grading::moment_from(text, grading::DayMeans::kItsEnd))
        throw usage_error(msg::roster_column_unknown(place, column, text));
}

}  // namespace

std::optional<grading::EarlierRun> earlier_run_of(const GradeTexts& texts) {
  if (texts.against.empty()) return std::nullopt;
  return grading::earlier_run_from(read_text(texts.against), texts.against);
}

Options book_options(GradeTexts& texts) {
  return {
      {"--attempt", " " + alternatives(kAttempts), &texts.attempt,
       "the attempt of a student that counts in the total; default best"},
      {"--works", " NAME,…", &texts.works,
       "the labs and exercises that count in the totals; default: all that some student handed in"},
      {"--deadline", " TIME", &texts.deadline,
       "2026-02-01, or WORK=TIME,…: later submissions are late, by the times of the platform or the roster"},
      {"--late", "[=PERCENT]", MayBeBare{&texts.late, kUsualPenalty},
       "the penalty for late work in percent of the points: 10/day (the default), 5/hour, 50/once"},
      {"--changes", " FILE.csv", &texts.changes,
       "manual changes of points: student, lab or exercise, criterion, `set 3` or `add 1`, reason"},
      {"--against", " FILE.json", &texts.against,
       "the grades of an earlier run: use the same inputs, and list the changes"},
  };
}

BookRules book_rules_from(const GradeTexts& texts, const std::vector<grading::Submission>& submissions) {
  BookRules book;
  book.attempt = chosen("--attempt", texts.attempt, kAttempts);
  book.works = known_works(texts.works);
  book.late.deadlines = deadlines_of_known_works(texts.deadline);
  if (texts.late) book.late.penalty = grading::late_penalty_from(*texts.late);
  require_times(book.late, submissions);
  if (!texts.changes.empty()) book.changes = grading::changes_from(read_text(texts.changes), texts.changes);
  book.earlier = earlier_run_of(texts);
  if (texts.roster.empty()) return book;
  const auto roster = grading::roster_from(read_text(texts.roster), texts.roster);
  require_known_times(roster, texts.roster);
  grading::name_by_roster(roster, book.changes);
  for (const grading::RosterEntry& entry : roster) book.expected.push_back(entry.id);
  return book;
}

// The order matters: each step builds on the results of the one before.
std::vector<Grade> booked(const BookRules& book, const std::vector<grading::Submission>& submissions,
                          std::vector<Grade>& grades) {
  grading::require_changeable(book.changes, grades);
  grading::apply_to_criteria(book.changes, grades);
  grading::apply_lateness(book.late, submissions, grades);
  grading::apply_to_wholes(book.changes, grades);
  grading::choose_attempts(book.attempt, grades);
  grading::fix_works(book.works, grades);
  return book.earlier ? grading::compare_with(*book.earlier, grades) : std::vector<Grade>();
}

}  // namespace cudalab::cli
