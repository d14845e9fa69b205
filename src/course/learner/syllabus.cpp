// Reads syllabus pages line by line.
#include "course/learner/syllabus.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "course/texts/rewrite.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

constexpr std::string_view kWeekHeading = "## ";

bool may_be_a_name(std::string_view word) {
  return !word.empty() &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

// The words between backquotes that may be names.
std::vector<std::string> backquoted_names(std::string_view line) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t begin = line.find('`'), end = begin == line.npos ? begin : line.find('`', begin + 1);
    if (end == line.npos) return names;
    const std::string_view word = line.substr(begin + 1, end - begin - 1);
    if (may_be_a_name(word)) names.emplace_back(word);
    line.remove_prefix(end + 1);
  }
}

class SyllabusReader {
 public:
  SyllabusReader(std::span<const Exercise> course, std::span<const lab::Lab> labs, const Message& place)
      : course_(course), labs_(labs), place_(place) {}

  std::vector<SyllabusWeek> weeks_of(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) take(line);
    if (named_.empty()) throw usage_error(msg::at_place(place_, msg::syllabus_without_exercises()));
    return std::move(weeks_);
  }

 private:
  void take(std::string_view line) {
    is_in_list_ = line.starts_with("- ") || (is_in_list_ && line.starts_with("  "));
    if (line.starts_with(kWeekHeading))
      weeks_.push_back({std::string(line.substr(kWeekHeading.size())), {}, {}});
    if (!is_in_list_ || weeks_.empty()) return;
    for (const std::string& name : backquoted_names(line)) add(name);
  }

  void add(const std::string& name) {
    if (std::ranges::find(labs_, name, &lab::Lab::name) != labs_.end())
      return weeks_.back().labs.push_back(name);
    if (!find_exercise(course_, name))
      throw usage_error(msg::at_place(place_, msg::syllabus_name_unknown(name)));
    if (!named_.insert(name).second)
      throw usage_error(msg::at_place(place_, msg::syllabus_exercise_twice(name)));
    weeks_.back().exercises.push_back(name);
  }

  std::span<const Exercise> course_;
  std::span<const lab::Lab> labs_;
  const Message& place_;
  std::vector<SyllabusWeek> weeks_;
  std::set<std::string> named_;
  bool is_in_list_ = false;
};

// "1 h 25 min", "50 min"
Message time_of(int minutes) {
  constexpr int kHour = 60;
  return minutes < kHour ? msg::time_minutes(minutes) : msg::time_hours(minutes / kHour, minutes % kHour);
}

}  // namespace

Syllabus syllabus_from(const std::string& name, const std::string& text, std::span<const Exercise> course,
                       std::span<const lab::Lab> labs, const Message& place) {
  return {name, text, SyllabusReader(course, labs, place).weeks_of(text)};
}

CoursePath path_of(const Syllabus& syllabus) {
  CoursePath path{syllabus.name, {}};
  for (const SyllabusWeek& week : syllabus.weeks)
    if (!week.exercises.empty()) path.weeks.push_back({week.title, week.exercises});
  return path;
}

int minutes_of(const SyllabusWeek& week, std::span<const Exercise> course, const CoursePlan& plan) {
  int minutes = 0;
  for (const std::string& lab : week.labs) minutes += minutes_of_lab(plan, lab);
  for (const std::string& name : week.exercises) minutes += find_exercise(course, name)->minutes;
  return minutes;
}

std::string syllabus_text(const Syllabus& syllabus, std::span<const Exercise> course, const CoursePlan& plan,
                          const Wording& wording) {
  const std::string page = handout_in(wording, syllabus.text);
  std::string text;
  auto week = syllabus.weeks.begin();
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = std::min(page.find('\n', at), page.size() - 1) + 1;
    const std::string_view line = std::string_view(page).substr(at, end - at);
    text += line;
    at = end;
    if (!line.starts_with(kWeekHeading)) continue;
    const int minutes = minutes_of(*week++, course, plan);
    if (minutes > 0) text += fmt::format("\n{}\n", wording.say(msg::syllabus_time(time_of(minutes))));
  }
  return text;
}

}  // namespace cudalab::course
