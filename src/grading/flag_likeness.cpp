// Compares the kernels of each exercise with each other.
#include "grading/flag_likeness.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "core/files.h"
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

std::vector<std::string> handed_out(const std::vector<course::Exercise>& course, const std::string& name) {
  const course::Exercise* exercise = course::find_exercise(course, name);
  if (!exercise) return {};
  return {read_text(exercise->starter()), read_text(exercise->solution())};
}

void flag(const LikePair& pair, const Kernels& kernels, std::vector<Grade>& grades) {
  const Grade& other = grades[kernels.places[pair.other]];
  grades[kernels.places[pair.one]].flags.push_back(
      fmt::format("{:.0f} % like {}: line {} here, line {} there", 100 * pair.likeness.share, other.file,
                  pair.likeness.line, pair.likeness.other_line));
}

}  // namespace

void flag_likeness(const std::vector<Submission>& submissions, std::vector<Grade>& grades) {
  const std::map<std::string, Kernels> all = kernels_by_exercise(submissions, grades);
  if (all.empty()) return;
  const std::vector<course::Exercise> course = course::load_course(lab::labs_directory(), lab::labs());
  for (const auto& [exercise, kernels] : all)
    for (const LikePair& pair : like_pairs(kernels.sources, handed_out(course, exercise)))
      flag(pair, kernels, grades);
}

}  // namespace cudalab::grading
