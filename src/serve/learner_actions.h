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

// An option of a command, for a form.
struct CommandOption {
  std::string name;         // "--grid"
  std::string placeholder;  // " X[,Y[,Z]]", "[=FILE]"; empty: it takes no value
  std::string help;         // this and the next two are in the reader's language
  std::string values;       // the allowed ones, if the help states them
  std::string group;
  std::vector<std::string> words;  // the allowed values; empty: any
  bool is_repeated = false;
};

struct LearnerActions {
  std::function<Wording(Language)> wording;
  // All exercises in the order of the course, with texts in that language.
  std::function<std::vector<course::Exercise>(const Wording&)> course;
  // The learner's next exercise; null if every started one is done.
  std::function<const course::Exercise*(const std::vector<course::Exercise>&, const course::Workspace&)> next;
  // Copies the starter, the handout and the lab's kernels, as `cudalab start` does.
  std::function<void(const std::filesystem::path& folder, const std::vector<course::Exercise>& course,
                     const course::Exercise&, const Wording&)>
      start;
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
  // Those of `run` or of a lab, in the order of the help. Empty if there is no such command.
  std::function<std::vector<CommandOption>(const std::string& command, const Wording&)> options;
};

}  // namespace cudalab::serve
