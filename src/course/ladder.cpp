// Reads a lab's ladder and compares it with times.
#include "course/ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/files.h"
#include "messages/course.h"
#include "messages/lab.h"
#include "report/text/values.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

LadderStep step_from(const Json& text) {
  LadderStep step;
  text.at("slower").get_to(step.slower);
  text.at("faster").get_to(step.faster);
  step.factor = text.value("factor", 1.0);
  if (text.contains("options")) text.at("options").get_to(step.options);
  step.only_recorded = text.value("only_recorded", "");
  return step;
}

std::string microseconds(double ms) { return report::significant(ms * 1000, 4); }

}  // namespace

Ladder ladder_from(const Json& text, const Message& place) {
  Ladder ladder;
  try {
    for (const Json& step : text.at("steps")) ladder.steps.push_back(step_from(step));
    if (text.contains("not_run")) text.at("not_run").get_to(ladder.not_run);
  } catch (const Json::exception&) {
    throw usage_error(msg::at_place(place, msg::ladder_malformed()));
  }
  for (const LadderStep& step : ladder.steps)
    if (step.factor < 1) throw usage_error(msg::at_place(place, msg::ladder_factor_below_1(step.factor)));
  return ladder;
}

Ladder load_ladder(const std::filesystem::path& labs, const std::string& lab) {
  const std::filesystem::path file = labs / lab / "ladder.json";
  const Message place = Message::verbatim(fmt::format("labs/{}/ladder.json", lab));
  return ladder_from(Json::parse(read_text(file), nullptr, false), place);
}

LadderRun predicted_run(const lab::Result& result) {
  LadderRun run{.ms = {}, .options = {}, .is_predicted = true};
  for (const lab::Row& row : result.rows)
    if (row.prediction) run.ms[row.name] = row.prediction->ms;
  for (const auto& [name, value] : result.options)
    run.options[name] = std::visit([](const auto& it) { return fmt::format("{}", it); }, value);
  return run;
}

LadderRun recorded_run(const Json& document) {
  LadderRun run;
  const Json rows = document.value("runs", Json::array()),
             options = document.value("options", Json::object());
  for (const Json& row : rows)
    if (row.contains("time_ms") && row["time_ms"].is_object() && row["kind"] != "cpu")
      run.ms[row["name"]] = row["time_ms"]["median"];
  for (const auto& [name, value] : options.items())
    run.options[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return run;
}

namespace {

bool holds_in(const LadderStep& step, const LadderRun& run) {
  if (run.is_predicted && !step.only_recorded.empty()) return false;
  return std::ranges::all_of(step.options, [&](const auto& option) {
    const auto found = run.options.find(option.first);
    return found != run.options.end() && found->second == option.second;
  });
}

// The median time of a stage varies by up to this fraction between two recordings.
constexpr double kSpreadOfRecordings = 0.03;

}  // namespace

Message contradiction(const Ladder& ladder, const LadderRun& run) {
  for (const LadderStep& step : ladder.steps) {
    const auto slower = run.ms.find(step.slower), faster = run.ms.find(step.faster);
    if (slower == run.ms.end() || faster == run.ms.end() || !holds_in(step, run)) continue;
    const double tolerance = run.is_predicted ? 0 : kSpreadOfRecordings;
    if (slower->second >= (1 - tolerance) * step.factor * faster->second) continue;
    return msg::ladder_contradicted(step.slower, report::significant(step.factor, 3), step.faster,
                                    microseconds(slower->second), microseconds(faster->second));
  }
  return {};
}

}  // namespace cudalab::course
