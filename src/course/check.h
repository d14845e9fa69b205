// Checks a kernel file against an exercise: it compiles, has no hazards, computes correct results in every
// case, and meets the exercise's criteria.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/languages/wording.h"
#include "course/exercise.h"
#include "course/reasons/evidence.h"
#include "lab/lab.h"
#include "report/pictures/picture.h"

namespace cudalab::course {

struct WarpPlace {
  Dim3 block{0, 0, 0};
  std::uint64_t warp = 0;  // its index within the block
};

// One requirement of the check, in the order in which they are checked.
struct CheckPart {
  enum Outcome { kMet, kMissed, kNotReached };
  // "compiles", "no hazards" ("no mistakes" for a program), "right results", or the criterion's name.
  std::string name;
  Outcome outcome = kNotReached;
  Message sentence = {};                             // what is wrong; empty unless missed
  Message advice = {};                               // what to try; may be empty
  std::optional<SourceLine> where = {}, other = {};  // for a race, `other` is the second access
  std::optional<SourceLine> called_from = {};  // if `where` is in a called function: the line of the call
  std::optional<Case> on = {};                 // the case that showed the problem
  std::optional<WarpPlace> warp = {};          // the warp that a hazard stopped or was found in
  std::vector<report::Picture> pictures = {};  // pictures that show why it is missed
  std::optional<compile::Diagnosis> diagnosis = {};  // the compiler's error, if the file does not compile
  std::vector<Reason> reasons = {};  // of a wrong result: facts about the run that point to its cause
};

inline constexpr const char *kDoesNotCompile = "does not compile", *kStopped = "stopped";

struct ExerciseCheck {
  bool passed = false;
  // The reason for rejecting the file, as in "wrong" of an exercise: "does not compile", "hazard:
  // shared_race", "wrong result", "stopped", or the name of a criterion; for a program also "mistake:
  // wrong_direction", "unchecked launch" or "exit code". Empty if the file passed.
  std::string rejected_by;
  std::vector<CheckPart> parts;
  // For a program: the first problem with its exit code or output, in any case. The check observes these from
  // outside; all other facts are reported by the program's own process. Empty if there is none.
  Message wrong_outside;
  // For each criterion that was reached, the row that it was judged on.
  struct JudgedRun {
    lab::Row row;
    Case options;
  };
  std::vector<JudgedRun> judged;
  std::uint64_t seed = 0;
  std::string printed;  // what the kernel printed (a program: to standard error) in the deciding run
  std::vector<compile::Diagnosis> warnings;  // the compiler's warnings, if the file did not pass
  std::optional<lab::Result> result;         // the deciding run with the learner's rows only, for pictures
};

// Returns the part's name in the learner's language.
std::string name_of(const CheckPart& part, const Wording& wording);

// Returns the requirements of an exercise, all with the outcome kNotReached.
std::vector<CheckPart> parts_asked_for(const Exercise& exercise);

// The limit for all launches of a kernel together, in steps. The virtual GPU counts them, so it is the same
// on every machine: about two seconds of one processor, whatever the kernel does. A warp instruction is one
// step, or several if it takes longer to check.
inline constexpr std::uint64_t kStepsOfACheck = 200'000'000;

struct CheckSettings {
  std::uint64_t seed = 1;        // for the inputs and the drawn cases
  std::vector<Case> cases = {};  // an instructor's own cases, in addition to the exercise's
  // The limit for all launches of a kernel together; for a program, warp instructions per launch. 0: no
  // limit.
  std::uint64_t steps = kStepsOfACheck;
  std::optional<vgpu::Card> card{};  // the modelled GPU; empty for the default
  double processor_seconds = 0;      // limit for all launches together; 0: no limit
  bool gives_reasons = true;         // for a wrong result, runs the solution, too, and compares the two
  std::function<void(const Message&)> progress = {}, remark = {};  // as in lab::RunSettings
};

// Runs on the virtual GPU even if the machine has a GPU, because counters and hazards decide. Throws
// Error(kUsage) if the file cannot be read, Error(kUnavailable) if there is no compiler.
ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings);

// The same on a given machine.
ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings, const lab::Machine& machine);

}  // namespace cudalab::course
