// Which picture shows why a criterion is missed.
#include "course/criterion_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/recording.h"

namespace cudalab::course {
namespace {

using testing::SizeIs;

constexpr MemorySpace kSpaces[]{MemorySpace::kGlobal, MemorySpace::kShared};
constexpr AccessKind kKinds[]{AccessKind::kLoad, AccessKind::kStore, AccessKind::kAtomic,
                              AccessKind::kReduction};

// Reads and writes in every way, parts its lanes, shuffles, and took a time on a stream.
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

// All paths that the criteria of an exercise compare.
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

TEST(CriterionPictures, AreOfWhatTheValueCounts) {
  const lab::Row row = row_of_everything();
  EXPECT_EQ(picture_for("counters/ptx_shared_load_requests", row)->kind, "banks");
  EXPECT_EQ(picture_for("counters/l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", row)->kind, "sectors");
  EXPECT_EQ(picture_for("counters/ptx_lane_exchanges", row)->kind, "lanes");
  EXPECT_EQ(picture_for("counters/ptx_divergent_branches", row)->kind, "divergence");
  EXPECT_EQ(picture_for("occupancy/warps", row)->kind, "occupancy");
  EXPECT_FALSE(picture_for("verdict", row));
}

TEST(CriterionPictures, WhereNobodyShufflesMemoryIsWhatLanesMeetIn) {
  lab::Row row = row_of_everything();
  auto recording = std::make_shared<Recording>(*row.recording);
  recording->exchanges.clear();
  row.recording = recording;
  EXPECT_EQ(picture_for("counters/ptx_lane_exchanges", row)->kind, "banks");
}

}  // namespace
}  // namespace cudalab::course
