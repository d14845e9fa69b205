// A lab's ladder, labs/LAB/ladder.json: which stage is faster than which, as the handout claims. The claims
// must hold for predicted times at the lab's defaults and in each example of its help, and for recorded times
// of GPUs.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "lab/lab.h"

namespace cudalab::course {

// In each run that has both rows, `slower` takes at least `factor` times as long as `faster`.
struct LadderStep {
  std::string slower, faster;
  double factor = 1;
  std::map<std::string, std::string> options;  // only in runs with these options: {{"type", "f32"}}
  // Why predicted times do not show this step: a known limit of the time model. The step then applies to
  // recorded times only. Empty: it applies to both.
  std::string only_recorded;
};

struct Ladder {
  std::vector<LadderStep> steps;
  std::map<std::string, std::string> not_run;  // examples that show no step, and why
};

// A run: the time of each row that has one, in milliseconds, and the options as text.
struct LadderRun {
  std::map<std::string, double> ms;
  std::map<std::string, std::string> options;
  bool is_predicted = false;
};

// Throws Error(kUsage) that names `place` and the key.
Ladder ladder_from(const nlohmann::json& text, const Message& place);
Ladder load_ladder(const std::filesystem::path& labs, const std::string& lab);

LadderRun predicted_run(const lab::Result& result);
// From a result document that was recorded on a GPU.
LadderRun recorded_run(const nlohmann::json& document);

// The first step that the run contradicts; empty if there is none.
Message contradiction(const Ladder& ladder, const LadderRun& run);

}  // namespace cudalab::course
