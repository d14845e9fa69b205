// Applies manual changes to grades, and compares grades with an earlier run.
#include "grading/book/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "grading/formats.h"
#include "grading/identity.h"
#include "messages/grading.h"

namespace cudalab::grading {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kSame = 1e-6;  // tolerance in points

bool are_same(double one, double other) { return std::abs(one - other) < kSame; }

// Sums the points of marks and adjustments by name.
std::map<std::string, double> parts_of(const Grade& grade) {
  std::map<std::string, double> parts;
  for (const Mark& mark : grade.marks) parts[mark.name] += mark.points;
  for (const Adjustment& one : grade.adjustments) parts[one.name] += one.points;
  return parts;
}

std::string in_words(const std::map<std::string, double>& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? "nothing" : points_text(found->second);
}

std::vector<std::string> differences(const Grade& before, const Grade& now) {
  if (before.is_undecided || now.is_undecided) {
    if (before.is_undecided == now.is_undecided) return {};
    return {now.is_undecided ? "not verified now" : "not verified before"};
  }
  const std::map<std::string, double> then = parts_of(before), here = parts_of(now);
  std::map<std::string, double> all = then;
  all.insert(here.begin(), here.end());
  std::vector<std::string> sentences;
  for (const auto& [name, unused] : all) {
    const auto old = then.find(name), fresh = here.find(name);
    const bool is_same = old != then.end() && fresh != here.end() && are_same(old->second, fresh->second);
    if (!is_same)
      sentences.push_back(
          fmt::format("{}: {} before, {} now", name, in_words(then, name), in_words(here, name)));
  }
  return sentences;
}

class Pairing {
 public:
  explicit Pairing(const std::vector<Grade>& earlier) : earlier_(earlier), is_taken_(earlier.size()) {
    for (std::size_t i = 0; i < earlier.size(); ++i) {
      by_content_[key(earlier[i], earlier[i].content)].push_back(i);
      by_work_[key(earlier[i], "")].push_back(i);
    }
  }

  const Grade* of_same_content(const Grade& grade) {
    return first_free(by_content_, key(grade, grade.content));
  }
  const Grade* of_same_work(const Grade& grade) { return first_free(by_work_, key(grade, "")); }

  std::vector<Grade> left_over() const {
    std::vector<Grade> left;
    for (std::size_t i = 0; i < earlier_.size(); ++i)
      if (!is_taken_[i]) left.push_back(earlier_[i]);
    return left;
  }

 private:
  using Places = std::map<std::string, std::vector<std::size_t>>;

  static std::string key(const Grade& grade, const std::string& content) {
    return grade.student + '\n' + grade.work() + '\n' + content;
  }
  const Grade* first_free(const Places& places, const std::string& key) {
    const auto found = places.find(key);
    if (found == places.end()) return nullptr;
    for (const std::size_t place : found->second) {
      if (is_taken_[place]) continue;
      is_taken_[place] = true;
      return &earlier_[place];
    }
    return nullptr;
  }

  const std::vector<Grade>& earlier_;
  std::vector<bool> is_taken_;
  Places by_content_, by_work_;
};

void note(const Grade& before, Grade& grade) {
  grade.earlier = Earlier{before.points(), before.most(), differences(before, grade)};
  if (!grade.is_undecided && grade.points() < before.points() - kSame)
    grade.flags.push_back(
        fmt::format("{} points before, {} now", points_text(before.points()), points_text(grade.points())));
}

}  // namespace

EarlierRun earlier_run_from(std::string_view json, std::string_view place) {
  const OrderedJson document = OrderedJson::parse(json, nullptr, false);
  if (!document.is_object() || document.value("schema", OrderedJson()) != kGradesSchema)
    throw usage_error(msg::grades_not_a_list(place));
  EarlierRun run{std::string(place), std::nullopt, {}};
  try {
    if (document.contains("seed")) run.seed = document.at("seed").get<std::uint64_t>();
    for (const OrderedJson& grade : document.at("grades")) run.grades.push_back(grade_from(grade));
  } catch (const OrderedJson::exception&) {
    throw usage_error(msg::grades_entry_unreadable(place, run.grades.size() + 1));
  }
  return run;
}

std::vector<Grade> compare_with(const EarlierRun& earlier, std::vector<Grade>& grades) {
  Pairing pairing(earlier.grades);
  std::vector<Grade*> unpaired;
  for (Grade& grade : grades) {
    const Grade* before = pairing.of_same_content(grade);
    before ? note(*before, grade) : unpaired.push_back(&grade);
  }
  for (Grade* grade : unpaired)
    if (const Grade* before = pairing.of_same_work(*grade)) note(*before, *grade);
  return pairing.left_over();
}

namespace {

constexpr std::size_t kCells = 5, kLongestReason = 400;
constexpr std::string_view kByHand = "changed by hand";

// Parses "set 3", "add -0.5", "+1" or "-1". A number without a sign is rejected, because a spreadsheet may
// have removed a plus sign.
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
    throw usage_error(msg::change_needs_five_cells(place, number));
  Change change{.student = row[0], .work = row[1], .criterion = row[2]};
  if (!read_points(row[3], change))
    throw usage_error(msg::change_malformed(place, number, harmless_line(row[3], 40)));
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

// The points of a criterion, including earlier adjustments; `found` are the points of its mark.
double points_of(const Grade& grade, const std::string& name, double found) {
  for (const Adjustment& one : grade.adjustments)
    if (one.name == name) found += one.points;
  return found;
}

// Points never fall below 0.
void adjust(Grade& grade, const Change& change, const std::string& name, double now) {
  const double wanted = change.is_sum ? change.points : change.points - now;
  grade.adjustments.push_back({name, std::max(wanted, -now), change.reason});
}

std::string name_for(const Change& change) {
  return change.criterion.empty() ? std::string(kByHand) : fmt::format("{}: {}", kByHand, change.criterion);
}

// Changes the points deducted for lateness; the deduction never becomes negative.
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
    if (!change.is_sum) grade.is_undecided = false;  // a person has set the points
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
      throw usage_error(msg::change_without_submission(
          changes.place, change.row, harmless_line(change.student, 100), harmless_line(change.work, 60)));
    if (std::ranges::none_of(grades, has_it))
      throw usage_error(msg::change_criterion_unknown(
          changes.place, change.row, harmless_line(change.work, 60), harmless_line(change.criterion, 100)));
  }
}

}  // namespace cudalab::grading
