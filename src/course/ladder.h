// The ladder of a lab, labs/LAB/ladder.json: which stage is faster than which, as its handout claims. The
// claims must hold for predicted times at the lab's defaults and in each example of its help, and for the
// times that GPUs recorded.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "lab/lab.h"

namespace cudalab::course {

// Row `slower` takes at least `factor` times as long as row `faster`, in each run that has both rows.
struct LadderStep {
  std::string slower, faster;
  double factor = 1;
  std::map<std::string, std::string> options;  // only in runs with these options: {{"type", "f32"}}
  // Why predicted times do not show what GPUs show: a known limit of the time model. The step then holds for
  // recorded times alone. Empty: the step holds for both.
  std::string only_recorded;
};

struct Ladder {
  std::vector<LadderStep> steps;
  std::map<std::string, std::string> not_run;  // examples that show no step of the ladder, and why
};

// A run: the milliseconds of each row that has a time, and the options as text.
struct LadderRun {
  std::map<std::string, double> ms;
  std::map<std::string, std::string> options;
  bool is_predicted = false;
};

// Throws Error(kUsage) that names `place` and the key.
Ladder ladder_from(const nlohmann::json& text, const Message& place);
Ladder load_ladder(const std::filesystem::path& labs, const std::string& lab);

LadderRun predicted_run(const lab::Result& result);
// Of a result document that a GPU wrote.
LadderRun recorded_run(const nlohmann::json& document);

// The first step that the times of a run contradict; empty where none does.
Message contradiction(const Ladder& ladder, const LadderRun& run);

}  // namespace cudalab::course
