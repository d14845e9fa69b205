// The actions of the command line for a learner, as functions. The workbook calls them and has no rules of
// its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/languages/wording.h"
#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "course/questions.h"

namespace cudalab::serve {

struct LearnerActions {
  std::function<Wording(Language)> wording;
  // All exercises in the order of the course, with texts in that language.
  std::function<std::vector<course::Exercise>(const Wording&)> course;
  // The learner's next exercise; null if every started one is done.
  std::function<const course::Exercise*(const std::vector<course::Exercise>&, const course::Workspace&)> next;
  // Copies the starter, the handout and the lab's kernels, as `cudalab start` does.
  std::function<void(const std::filesystem::path& folder, const course::Exercise&, const Wording&)> start;
  // Restores the starter. Returns a sentence that says so.
  std::function<std::string(const course::Workspace&, const course::Exercise&, const Wording&)> reset;
  // These record progress in the folder.
  std::function<void(const std::filesystem::path& folder, const course::Exercise&, bool passed,
                     const std::string& mistake)>
      note_check;
  std::function<course::Workspace(const std::filesystem::path& folder, const course::Exercise&)> show_hint;
  std::function<void(const std::filesystem::path& folder, const course::Exercise&)> note_giving_up;
  std::function<void(const std::filesystem::path& folder, const std::string& lab, const course::Score&)>
      note_quiz;
  std::function<void(const std::filesystem::path& folder, const course::Exercise&, const std::string& digest)>
      note_line_shown;
};

}  // namespace cudalab::serve
