// Each change becomes an adjustment: nothing that was found is overwritten.
#include "grading/book/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/text.h"
#include "grading/identity/csv.h"

namespace cudalab::grading {
namespace {

constexpr std::size_t kCells = 5, kLongestReason = 400;
constexpr std::string_view kByHand = "changed by hand";

// "set 3", "add -0.5", "+1", "-1"; a number alone may have lost its sign to a spreadsheet.
bool read_points(std::string_view text, Change& change) {
  const bool is_set = text.starts_with("set ");
  change.is_sum = !is_set;
  if (is_set || text.starts_with("add "))
    text.remove_prefix(4);
  else if (!text.starts_with("+") && !text.starts_with("-"))
    return false;
  text = trimmed(text);
  if (text.starts_with("+")) text.remove_prefix(1);
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), change.points);
  return failed == std::errc{} && end == text.data() + text.size() && std::abs(change.points) <= 1e6 &&
         (change.is_sum || change.points >= 0);
}

Change change_from(const std::vector<std::string>& row, std::string_view place, std::size_t number) {
  if (row.size() < kCells || row[0].empty() || row[1].empty() || row[4].empty())
    throw usage_error(
        "{}: row {} needs five cells: student, lab or exercise, criterion (may be empty), change, reason",
        place, number);
  Change change{.student = row[0], .work = row[1], .criterion = row[2]};
  if (!read_points(row[3], change))
    throw usage_error("{}: row {}: {} is no change; write `set 3` or `add -0.5`", place, number,
                      harmless_line(row[3], 40));
  change.reason = harmless_line(row[4], kLongestReason);
  change.row = number;
  return change;
}

bool is_of(const Change& change, const Grade& grade) {
  return grade.student == change.student && (grade.exercise == change.work || grade.work() == change.work);
}

const Mark* mark_of(const Change& change, const Grade& grade) {
  const auto found = std::ranges::find(grade.marks, change.criterion, &Mark::name);
  return found == grade.marks.end() ? nullptr : &*found;
}

// Of a criterion, with what was changed of it before.
double points_of(const Grade& grade, const std::string& name, double found) {
  for (const Adjustment& one : grade.adjustments)
    if (one.name == name) found += one.points;
  return found;
}

// Nothing falls below 0.
void adjust(Grade& grade, const Change& change, const std::string& name, double now) {
  const double wanted = change.is_sum ? change.points : change.points - now;
  grade.adjustments.push_back({name, std::max(wanted, -now), change.reason});
}

std::string name_for(const Change& change) {
  return change.criterion.empty() ? std::string(kByHand) : fmt::format("{}: {}", kByHand, change.criterion);
}

// What being late took; not below 0 points taken.
void forgive(Grade& grade, const Change& change) {
  const double taken = -points_of(grade, std::string(kLate), 0);
  const double left = std::clamp(change.is_sum ? taken - change.points : change.points, 0.0, taken);
  if (taken > 0) grade.adjustments.push_back({name_for(change), taken - left, change.reason});
}

template <class Apply>
void for_each_of(const Changes& changes, std::vector<Grade>& grades, Apply apply) {
  for (const Change& change : changes.rows)
    for (Grade& grade : grades)
      if (is_of(change, grade)) apply(change, grade);
}

}  // namespace

Changes changes_from(std::string_view csv, std::string_view place) {
  Changes changes{std::string(place), {}};
  std::size_t number = 0;
  for (const std::vector<std::string>& row : csv_rows(csv)) {
    const bool is_heading = ++number == 1 && row[0] == "student";
    if (!is_heading) changes.rows.push_back(change_from(row, place, number));
  }
  return changes;
}

void name_by_roster(const std::vector<RosterEntry>& roster, Changes& changes) {
  for (Change& change : changes.rows)
    if (const RosterEntry* entry = find_in(roster, change.student)) change.student = entry->id;
}

void apply_to_criteria(const Changes& changes, std::vector<Grade>& grades) {
  for_each_of(changes, grades, [](const Change& change, Grade& grade) {
    const Mark* mark = mark_of(change, grade);
    if (mark) adjust(grade, change, name_for(change), points_of(grade, name_for(change), mark->points));
  });
}

void apply_to_wholes(const Changes& changes, std::vector<Grade>& grades) {
  for_each_of(changes, grades, [](const Change& change, Grade& grade) {
    if (change.criterion == kLate) forgive(grade, change);
  });
  for_each_of(changes, grades, [](const Change& change, Grade& grade) {
    if (!change.criterion.empty()) return;
    if (!change.is_sum) grade.is_undecided = false;  // a person has decided
    adjust(grade, change, name_for(change), grade.points());
  });
}

void require_changeable(const Changes& changes, const std::vector<Grade>& grades) {
  for (const Change& change : changes.rows) {
    const auto is_it = [&](const Grade& grade) { return is_of(change, grade); };
    const auto has_it = [&](const Grade& grade) {
      return is_it(grade) &&
             (change.criterion.empty() || change.criterion == kLate || mark_of(change, grade));
    };
    if (std::ranges::none_of(grades, is_it))
      throw usage_error("{}: row {}: {} handed in nothing for {}", changes.place, change.row,
                        harmless_line(change.student, 100), harmless_line(change.work, 60));
    if (std::ranges::none_of(grades, has_it))
      throw usage_error("{}: row {}: {} has no criterion \"{}\"", changes.place, change.row,
                        harmless_line(change.work, 60), harmless_line(change.criterion, 100));
  }
}

}  // namespace cudalab::grading
