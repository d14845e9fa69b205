// Compares the kernels of each exercise with each other.
#include "grading/flag_likeness.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#include "core/files.h"
#include "core/text.h"
#include "course/exercise.h"
#include "grading/grade_file.h"
#include "grading/likeness/winnowing.h"
#include "lab/locate.h"

namespace cudalab::grading {
namespace {

struct Kernels {
  std::vector<std::size_t> places;  // among all submissions
  std::vector<HandedIn> sources;
};

// Without files that are the same to the byte, but for one: they are flagged for that.
std::map<std::string, Kernels> kernels_by_exercise(const std::vector<Submission>& submissions,
                                                   const std::vector<Grade>& grades) {
  std::map<std::string, Kernels> all;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    if (grades[i].exercise.empty() || !grades[i].problem.empty() || !is_kernel_file(submissions[i].file))
      continue;
    if (!seen.insert(grades[i].content).second) continue;
    FileText file = read_submission(submissions[i].file, kLargestKernel);
    if (!file.problem.empty()) continue;
    Kernels& of_exercise = all[grades[i].exercise];
    of_exercise.places.push_back(i);
    of_exercise.sources.push_back({grades[i].student, std::move(file.text)});
  }
  return all;
}

struct HandedOut {
  std::string starter, solution;
};

HandedOut handed_out(const std::vector<course::Exercise>& course, const std::string& name) {
  const course::Exercise* exercise = course::find_exercise(course, name);
  if (!exercise) return {};
  return {read_text(exercise->starter()), read_text(exercise->solution())};
}

constexpr int kLinesShown = 8;

std::string lines_from(const std::string& source, int first) {
  std::istringstream lines(source);
  std::string text;
  int number = 1;
  for (std::string line; std::getline(lines, line) && number < first + kLinesShown; ++number)
    if (number >= first) text += fmt::format("{:>4}  {}\n", number, harmless_line(line, 110));
  return text;
}

const Alike& note(const Likeness& likeness, const std::string& source, const std::string& other,
                  const std::string& other_source, Grade& grade) {
  return grade.alike.emplace_back(Alike{other, likeness.share, likeness.line, likeness.other_line,
                                        lines_from(source, likeness.line),
                                        lines_from(other_source, likeness.other_line)});
}

void flag_students(const Kernels& kernels, const HandedOut& course, std::vector<Grade>& grades) {
  for (const LikePair& pair : like_pairs(kernels.sources, {course.starter, course.solution})) {
    Grade& grade = grades[kernels.places[pair.one]];
    const Alike& alike =
        note(pair.likeness, kernels.sources[pair.one].source, grades[kernels.places[pair.other]].file,
             kernels.sources[pair.other].source, grade);
    grade.flags.push_back(words_on(alike));
  }
}

// No flag: where an exercise leaves little choice, honest work is like the solution.
void note_who_is_like_the_solution(const Kernels& kernels, const HandedOut& course,
                                   std::vector<Grade>& grades) {
  const Fingerprints starter = fingerprints_of(course.starter), solution = fingerprints_of(course.solution);
  for (std::size_t i = 0; i < kernels.places.size(); ++i) {
    const std::string& source = kernels.sources[i].source;
    const Likeness found = likeness(fingerprints_of(source), solution, starter);
    if (is_like_enough(found)) note(found, source, kSolution, course.solution, grades[kernels.places[i]]);
  }
}

}  // namespace

void flag_likeness(const std::vector<Submission>& submissions, std::vector<Grade>& grades) {
  const std::map<std::string, Kernels> all = kernels_by_exercise(submissions, grades);
  if (all.empty()) return;
  const std::vector<course::Exercise> course = course::load_course(lab::labs_directory(), lab::labs());
  for (const auto& [exercise, kernels] : all) {
    const HandedOut of_course = handed_out(course, exercise);
    note_who_is_like_the_solution(kernels, of_course, grades);
    flag_students(kernels, of_course, grades);
  }
}

}  // namespace cudalab::grading
