// Tests check results in the form that editors and scripts read.
#include "course/check_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/languages/wording_testing.h"
#include "core/measurement.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {

// Pictures for missed criteria.

namespace {

using testing::SizeIs;

constexpr MemorySpace kSpaces[]{MemorySpace::kGlobal, MemorySpace::kShared};
constexpr AccessKind kKinds[]{AccessKind::kLoad, AccessKind::kStore, AccessKind::kAtomic,
                              AccessKind::kReduction};

// A row with every kind of access, divergent branches, shuffles and a time on a stream, so every picture can
// be drawn.
lab::Row row_of_everything() {
  lab::Row row;
  auto recording = std::make_shared<Recording>();
  int line = 0;
  for (const MemorySpace space : kSpaces)
    for (const AccessKind kind : kKinds) {
      const SourceLine where{"a.cu", ++line};
      row.accesses.push_back(
          {.where = where, .space = space, .kind = kind, .requests = 1, .transactions = 1});
      WarpRequest request;
      request.lanes = ~0u;
      request.bytes_per_lane = 4;
      recording->lines.push_back({where, space, kind, {request}, {}});
    }
  recording->warps = {{{0, 0, 0}, 0, ~0u, {{0, 4, 0xff, ~0u, {"a.cu", 20}}}}};
  recording->exchanges = {{{"a.cu", 30}, {0, 0, 0}, 0, {{~0u, {}}}}};
  row.source = "a.cu";
  row.recording = recording;
  Prediction& prediction = row.prediction.emplace();
  prediction.ms = 1;
  prediction.limits = {{.resource = "dram", .share = 1}};
  prediction.occupancy.blocks = prediction.occupancy.warps = prediction.occupancy.most_warps = 1;
  row.program.emplace().log.timeline = {{"k", std::nullopt, 0, 1, {0, 1}}};
  return row;
}

// Collects the paths that the criteria of an exercise compare.
void add_values(const nlohmann::json& criteria, std::set<std::string>& values) {
  for (const nlohmann::json& each : criteria) {
    values.insert(each.at("value").get<std::string>());
    add_values(each.value("and", nlohmann::json::array()), values);
  }
}

TEST(CriterionPictures, ThereIsOneForEachValueThatExercisesCompare) {
  std::set<std::string> values;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CUDALAB_SOURCE_DIR "/labs"))
    if (entry.path().filename() == "exercise.json")
      add_values(nlohmann::json::parse(read_text(entry.path())).value("criteria", nlohmann::json::array()),
                 values);
  EXPECT_GT(values.size(), 20u);
  const lab::Row row = row_of_everything();
  for (const std::string& value : values) EXPECT_TRUE(picture_for(value, row)) << value;
}

TEST(CriterionPictures, ShowTheAccessThatTheValueCounts) {
  const lab::Row row = row_of_everything();
  EXPECT_EQ(picture_for("counters/ptx_shared_load_requests", row)->kind, "banks");
  EXPECT_EQ(picture_for("counters/l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", row)->kind, "sectors");
  EXPECT_EQ(picture_for("counters/ptx_lane_exchanges", row)->kind, "lanes");
  EXPECT_EQ(picture_for("counters/ptx_divergent_branches", row)->kind, "divergence");
  EXPECT_EQ(picture_for("occupancy/warps", row)->kind, "occupancy");
  EXPECT_FALSE(picture_for("verdict", row));
}

TEST(CriterionPictures, ShowMemoryAccessesWithoutShuffles) {
  lab::Row row = row_of_everything();
  auto recording = std::make_shared<Recording>(*row.recording);
  recording->exchanges.clear();
  row.recording = recording;
  EXPECT_EQ(picture_for("counters/ptx_lane_exchanges", row)->kind, "banks");
}

ExerciseCheck race() {
  ExerciseCheck check;
  check.seed = 7;
  check.rejected_by = "hazard: shared_race";
  check.parts = {{"compiles", CheckPart::kMet}, {"no hazards", CheckPart::kMissed}, {"right results"}};
  CheckPart& part = check.parts[1];
  part.sentence = Message::verbatim("`k` reads what\nanother thread writes");
  part.advice = Message::verbatim("put a barrier between them");
  part.where = SourceLine{"mine.cu", 3};
  part.other = SourceLine{"mine.cu", 2};
  part.on = Case{{"count", std::int64_t{67}}, {"pad", true}};
  part.warp = WarpPlace{{1, 2, 0}, 3};
  check.warnings = {{.where = {"mine.cu", 1}, .kind = "warning", .said = "unused variable"},
                    {.where = {"mine.cu"}, .kind = "warning", .said = "something without a line"}};
  return check;
}

TEST(CheckFormats, WritesLinesInTheStyleOfACompiler) {
  EXPECT_EQ(gcc_text(race(), "one\n  two\n\tthree\n", "mine.cu", Wording::of_ids()),
            "mine.cu:3:2: error: `k` reads what another thread writes [check_no_hazards()]\n"
            "mine.cu:2:3: note: other_access_here()\n"
            "mine.cu:3:2: note: put a barrier between them\n"
            "mine.cu:1:1: warning: unused variable\n");
}

TEST(CheckFormats, AddsNoPartNameToACompileError) {
  ExerciseCheck check;
  check.rejected_by = "does not compile";
  const compile::Diagnosis error{.where = {"mine.cu", 9}, .said = "expected a \";\""};
  check.parts = {{.name = "compiles",
                  .outcome = CheckPart::kMissed,
                  .sentence = error.with_kind(),
                  .where = error.where,
                  .diagnosis = error}};
  EXPECT_EQ(gcc_text(check, "", "mine.cu"), "mine.cu:9:1: error: expected a \";\"\n");
}

TEST(CheckFormats, WritesLinesInTheReadersLanguage) {
  const Wording chinese = chinese_by(
      "msgctxt \"check_no_hazards\"\nmsgid \"no hazards\"\nmsgstr \"没有隐患\"\n\n"
      "msgctxt \"other_access_here\"\nmsgid \"the other access is here\"\nmsgstr \"另一次访问在这里\"\n");
  const std::string text = gcc_text(race(), "one\n  two\n\tthree\n", "mine.cu", chinese);
  EXPECT_THAT(text, testing::HasSubstr(": error: `k` reads what another thread writes [没有隐患]\n"));
  EXPECT_THAT(text, testing::HasSubstr("mine.cu:2:3: note: 另一次访问在这里\n"));
}

TEST(CheckFormats, UsesLineOneForMessagesWithoutALine) {
  ExerciseCheck check;
  check.rejected_by = "wrong result";
  check.parts = {{"right results", CheckPart::kMissed, Message::verbatim("1 element is wrong")}};
  EXPECT_EQ(gcc_text(check, "  x\n", "mine.cu"), "mine.cu:1:3: error: 1 element is wrong [right results]\n");
}

TEST(CheckFormats, WritesNothingForAPassedCheck) {
  ExerciseCheck check;
  check.passed = true;
  check.parts = {{"compiles", CheckPart::kMet}};
  EXPECT_EQ(gcc_text(check, "", "mine.cu"), "");
}

TEST(CheckFormats, Json) {
  Exercise exercise;
  exercise.name = "twice-each";
  exercise.lab = "double";
  const std::string one = check_json(exercise, race(), "mine.cu");
  const auto document = nlohmann::json::parse(checks_json_text({one, one}, {"1.0", "abc"}));
  EXPECT_EQ(document["schema"], "cudalab.check/1");
  ASSERT_EQ(document["checks"].size(), 2u);
  const auto& part = document["checks"][1]["parts"][1];
  EXPECT_EQ(part["outcome"], "missed");
  EXPECT_EQ(part["where"]["line"], 3);
  EXPECT_EQ(part["case"]["count"], 67);
  EXPECT_EQ(part["case"]["pad"], true);
  EXPECT_EQ(part["block"], nlohmann::json({1, 2, 0}));
  EXPECT_TRUE(document["checks"][0]["parts"][2]["where"].is_null());
  EXPECT_FALSE(document["checks"][0].contains("repair"));
}

Repair barrier_in_line_3() {
  return {.where = {"mine.cu", 3},
          .kind = EditKind::kBarrier,
          .other_lines = {2},
          .edit = {.text = "__syncthreads();", .line = 3}};
}

TEST(CheckFormats, WritesARepairAsANoteAtItsLine) {
  EXPECT_EQ(gcc_repair_text(barrier_in_line_3(), "one\n  two\n\tthree\n", Wording::of_ids()),
            "mine.cu:3:2: note: repair_found_elsewhere(line=3, what=repair_barrier(), other=2)\n");
}

TEST(CheckFormats, JsonOfARepairHasTheLineButNotTheEdit) {
  Exercise exercise;
  exercise.name = "twice-each";
  const std::string check =
      with_repair(check_json(exercise, race(), "mine.cu"), repair_json(barrier_in_line_3()));
  EXPECT_THAT(check, testing::Not(testing::HasSubstr("__syncthreads")));
  const auto document = nlohmann::json::parse(check);
  EXPECT_EQ(document["exercise"], "twice-each");
  const auto& repair = document["repair"];
  EXPECT_EQ(repair["line"], 3);
  EXPECT_EQ(repair["kind"], "barrier");
  EXPECT_EQ(repair["message"]["id"], "repair_found_elsewhere");
  EXPECT_EQ(repair["message"]["arguments"]["what"]["id"], "repair_barrier");
  EXPECT_EQ(repair["other_lines"], nlohmann::json({2}));
}

}  // namespace
}  // namespace cudalab::course
