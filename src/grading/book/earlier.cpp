// Finds each grade's earlier one, and says what differs.
#include "grading/book/earlier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "grading/formats.h"

namespace cudalab::grading {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kSame = 1e-6;  // points

bool are_same(double one, double other) { return std::abs(one - other) < kSame; }

// Points by the name of what gave or took them.
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
    throw usage_error("{} is no list of grades; `cudalab grade … --format json` writes one", place);
  EarlierRun run{std::string(place), std::nullopt, {}};
  try {
    if (document.contains("seed")) run.seed = document.at("seed").get<std::uint64_t>();
    for (const OrderedJson& grade : document.at("grades")) run.grades.push_back(grade_from(grade));
  } catch (const OrderedJson::exception&) {
    throw usage_error("{} is no list of grades any more: grade {} cannot be read", place,
                      run.grades.size() + 1);
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

}  // namespace cudalab::grading
