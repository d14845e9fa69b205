// Checks a learner's file: the verdict, then the reasons for it.
#include "course/check.h"

#include <algorithm>

#include "core/files.h"
#include "course/check_reasons.h"
#include "course/judge.h"
#include "course/trials.h"
#include "lab/locate.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

// The names of the fixed parts in documents, and the messages that name them on screens.
struct PartName {
  std::string_view name;
  Message (*shown)();
};
constexpr PartName kPartNames[]{{"compiles", msg::check_compiles},
                                {"no hazards", msg::check_no_hazards},
                                {"no mistakes", msg::check_no_mistakes},
                                {"right results", msg::check_right_results}};

}  // namespace

std::string name_of(const CheckPart& part, const Wording& wording) {
  const auto known = std::ranges::find(kPartNames, part.name, &PartName::name);
  return known == std::end(kPartNames) ? wording.text(part.name) : wording.say(known->shown());
}

std::vector<CheckPart> parts_asked_for(const Exercise& exercise) {
  std::vector<CheckPart> parts{
      {"compiles"}, {exercise.is_program ? "no mistakes" : "no hazards"}, {"right results"}};
  for (const ExerciseCriterion& each : exercise.criteria) parts.push_back({each.criterion.name});
  return parts;
}

ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings, const lab::Machine& machine) {
  Trials trials(exercise, lab, file, settings, machine);
  ExerciseCheck check = judge(exercise, lab, trials, settings);
  check.seed = settings.seed;
  if (settings.gives_reasons) add_reasons(check, exercise, lab, trials, file, settings, machine);
  return check;
}

ExerciseCheck check_exercise(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
                             const CheckSettings& settings) {
  read_text(file);  // fails at once if the path is wrong
  const auto device = device::open_device(device::DeviceChoice::kVirtual, settings.card);
  return check_exercise(exercise, lab, file, settings,
                        {*device, compile::compile_kernels, lab::labs_directory(), lab::describe_host()});
}

}  // namespace cudalab::course
