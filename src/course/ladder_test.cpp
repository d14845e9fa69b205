// Tests reading ladders, and comparing them with predicted and recorded times.
#include "course/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/refusal_testing.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

Ladder ladder_of(const char* text) {
  return ladder_from(Json::parse(text), Message::verbatim("a/ladder.json"));
}

const char* const kTwoSteps = R"({"steps": [{"slower": "naive", "faster": "tiled", "factor": 1.5},
                                            {"slower": "tiled", "faster": "best"}]})";

LadderRun predicted(std::map<std::string, double> ms) { return {std::move(ms), {{"type", "f32"}}, true}; }

TEST(Ladder, HoldsIfEachStepIsFasterByItsFactor) {
  const Ladder ladder = ladder_of(kTwoSteps);
  EXPECT_TRUE(contradiction(ladder, predicted({{"naive", 3}, {"tiled", 2}, {"best", 2}})).empty());
  EXPECT_THAT(contradiction(ladder, predicted({{"naive", 2.9}, {"tiled", 2}, {"best", 2}})),
              IsMessage("ladder_contradicted"));
  EXPECT_THAT(contradiction(ladder, predicted({{"naive", 4}, {"tiled", 2}, {"best", 2.1}})),
              IsMessage("ladder_contradicted"));
}

TEST(Ladder, ComparesOnlyRowsThatARunHas) {
  EXPECT_TRUE(contradiction(ladder_of(kTwoSteps), predicted({{"naive", 1}, {"best", 1}})).empty());
}

TEST(Ladder, AppliesAStepWithAModelLimitToRecordedTimesOnly) {
  const Ladder ladder =
      ladder_of(R"({"steps": [{"slower": "a", "faster": "b", "only_recorded": "FP64 units"}]})");
  LadderRun run = predicted({{"a", 1}, {"b", 2}});
  EXPECT_TRUE(contradiction(ladder, run).empty());
  run.is_predicted = false;
  EXPECT_THAT(contradiction(ladder, run), IsMessage("ladder_contradicted"));
}

TEST(Ladder, AllowsForTheSpreadOfRecordedTimes) {
  const Ladder ladder = ladder_of(R"({"steps": [{"slower": "a", "faster": "b", "factor": 1}]})");
  LadderRun run = predicted({{"a", 0.98}, {"b", 1}});
  EXPECT_THAT(contradiction(ladder, run), IsMessage("ladder_contradicted"));
  run.is_predicted = false;
  EXPECT_TRUE(contradiction(ladder, run).empty());
  run.ms["a"] = 0.96;
  EXPECT_THAT(contradiction(ladder, run), IsMessage("ladder_contradicted"));
}

TEST(Ladder, HasStepsForSomeOptionsOnly) {
  const auto with_type = [](const std::string& type) {
    return ladder_of(
        (R"({"steps": [{"slower": "a", "faster": "b", "options": {"type": ")" + type + "\"}}]}").c_str());
  };
  const LadderRun run = predicted({{"a", 1}, {"b", 2}});
  EXPECT_TRUE(contradiction(with_type("f64"), run).empty());
  EXPECT_FALSE(contradiction(with_type("f32"), run).empty());
}

TEST(Ladder, ReadsTimesFromARecordedDocument) {
  const LadderRun run = recorded_run(Json::parse(
      R"({"options": {"n": 4, "type": "f32"},
          "runs": [{"name": "cpu-1-thread", "kind": "cpu", "time_ms": {"median": 9}},
                   {"name": "naive", "kind": "kernel", "time_ms": {"median": 2.5}},
                   {"name": "first", "kind": "kernel", "time_ms": null}]})"));
  EXPECT_EQ(run.ms, (std::map<std::string, double>{{"naive", 2.5}}));
  EXPECT_EQ(run.options, (std::map<std::string, std::string>{{"n", "4"}, {"type", "f32"}}));
  EXPECT_FALSE(run.is_predicted);
}

TEST(Ladder, RefusesMalformedText) {
  for (const char* text :
       {"[]", "{}", R"({"steps": [{"slower": "a"}]})", R"({"steps": [], "not_run": ["x"]})"})
    EXPECT_THROW(ladder_of(text), Error) << text;
  EXPECT_THROW(ladder_of(R"({"steps": [{"slower": "a", "faster": "b", "factor": 0.5}]})"), Error);
}

}  // namespace
}  // namespace cudalab::course
