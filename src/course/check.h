// Checks a kernel file against an exercise: it compiles, no hazards, right results on every case, then the
// exercise's own criteria.
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
  std::uint64_t warp = 0;  // of the block
};

// One thing that the check asks for, in the order in which it asks.
struct CheckPart {
  enum Outcome { kMet, kMissed, kNotReached };
  // "compiles", "no hazards" (for a program: "no mistakes"), "right results", or the criterion's name.
  std::string name;
  Outcome outcome = kNotReached;
  Message sentence = {};                             // what is wrong, where it was missed
  Message advice = {};                               // what to try; may be empty
  std::optional<SourceLine> where = {}, other = {};  // the second access of a race
  std::optional<Case> on = {};                       // the run that showed it
  std::optional<WarpPlace> warp = {};                // that a hazard stopped or was found in
  std::vector<report::Picture> pictures = {};        // of what was missed
  std::optional<compile::Diagnosis> diagnosis = {};  // the compiler's, of a file that does not compile
  std::vector<Reason> reasons = {};                  // of a wrong result: what the run says about its cause
};

inline constexpr const char *kDoesNotCompile = "does not compile", *kStopped = "stopped";

struct ExerciseCheck {
  bool passed = false;
  // What rejects the file, in the words of an exercise's "wrong": "does not compile", "hazard: shared_race",
  // "wrong result", "stopped", or the name of a criterion; of a program also "mistake: wrong_direction",
  // "unchecked launch", "exit code". Empty where it passed.
  std::string rejected_by;
  std::vector<CheckPart> parts;
  // Of a program: the first thing that is wrong with how it ends and what it writes, in any case. This can be
  // seen from outside; all else is what it tells of itself. Empty: nothing.
  Message wrong_outside;
  // Of each criterion, as far as they were reached: the row that it was judged on.
  struct JudgedRun {
    lab::Row row;
    Case options;
  };
  std::vector<JudgedRun> judged;
  std::uint64_t seed = 0;
  std::string printed;                       // by the kernel, or to standard error, in the run that decided
  std::vector<compile::Diagnosis> warnings;  // of the compiler, where it did not pass
  std::optional<lab::Result> result;  // of the run that decided, for pictures; the learner's rows alone
};

// The part's name in the learner's language.
std::string name_of(const CheckPart& part, const Wording& wording);

// What a check of the exercise asks for, none of it reached.
std::vector<CheckPart> parts_asked_for(const Exercise& exercise);

// What all launches of a kernel may take, counted by the virtual GPU and so the same on every machine: about
// two seconds of a processor, whatever the kernel does. A warp instruction is a step; what takes longer to
// look at is several.
inline constexpr std::uint64_t kStepsOfACheck = 200'000'000;

struct CheckSettings {
  std::uint64_t seed = 1;        // of the inputs, and of the cases that are drawn
  std::vector<Case> cases = {};  // besides those of the exercise: an instructor's own
  // Of all launches of a kernel together; of a program, warp instructions of each launch. 0: no limit.
  std::uint64_t steps = kStepsOfACheck;
  std::optional<vgpu::Card> card{};  // that the virtual GPU stands for; empty: its usual one
  double processor_seconds = 0;      // of all launches together; 0: no limit
  bool gives_reasons = true;         // for a wrong result: runs the solution, too, and compares
  std::function<void(const Message&)> progress = {}, remark = {};  // as those of lab::RunSettings
};

// Counters and hazards decide, so it runs on the virtual GPU whatever the machine has.
// Throws Error(kUsage) when the file cannot be read, Error(kUnavailable) when there is no compiler.
ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings);

// The same on a given machine.
ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings, const lab::Machine& machine);

}  // namespace cudalab::course
