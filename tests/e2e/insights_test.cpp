// Compares the predicted gains of insights with pairs of stages that differ only in the fault; also tests
// `--metrics`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

Json runs_of(std::vector<std::string> words) {
  words.insert(words.end(), {"--device", "virtual", "--check", "none", "--json"});
  return Json::parse(cudalab(words).out).at("runs");
}

Json run_named(const Json& runs, const std::string& name) {
  const auto found = std::ranges::find_if(runs, [&](const Json& run) { return run.at("name") == name; });
  return found == runs.end() ? Json() : *found;
}

struct Pair {
  std::vector<std::string> command;
  std::string faulty, kind;  // the stage with the fault, and the kind of insight
  std::string better;        // the stage that differs only in this fault
  double error;              // of the predicted time without the fault, relative to the better stage's time
};

class PredictedGain : public testing::TestWithParam<Pair> {};

TEST_P(PredictedGain, IsTheTimeOfTheStageWithoutTheFault) {
  const Pair& pair = GetParam();
  const Json runs = runs_of(pair.command), faulty = run_named(runs, pair.faulty),
             better = run_named(runs, pair.better);
  ASSERT_TRUE(faulty.contains("insight")) << faulty;
  EXPECT_EQ(faulty.at("insight").at("kind"), pair.kind);
  const double without = faulty.at("insight").at("predicted_ms"), time = better.at("predicted_ms");
  EXPECT_NEAR(without / time, 1, pair.error) << faulty.at("predicted_ms") << " ms, without the fault "
                                             << without << " ms, " << pair.better << " " << time << " ms";
}

const std::vector<std::string> kTranspose{"transpose", "--rows", "2048", "--cols", "2048"},
    kStride{"read-offset", "--n", "4194304", "--stride", "8", "--stage", "aligned,stride"},
    kConstant{"constant", "--products", "65536", "--stage", "uniform,per-lane"},
    kBanksLab{"banks", "--blocks", "4224", "--stage", "stride,padded"},
    kHistogram{"histogram", "--n", "1048576", "--keys", "one", "--stage", "global,shared"};

// The stages of the last two pairs differ in more than the fault: `padded` of the transpose also uses shared
// memory; `shared` of the histogram updates shared memory first and launches an eighth of the blocks.
INSTANTIATE_TEST_SUITE_P(
    Pairs, PredictedGain,
    testing::Values(Pair{kTranspose, "tiled", "bank_conflicts_of_loads", "padded", 0.01},
                    Pair{kBanksLab, "stride-32", "bank_conflicts_of_loads", "stride-1", 0.01},
                    Pair{kConstant, "per-lane-32", "serialized_constants", "uniform", 0.02},
                    Pair{kStride, "stride-8", "uncoalesced_loads", "aligned", 0.05},
                    Pair{kTranspose, "naive", "uncoalesced_stores", "padded", 0.05},
                    Pair{kHistogram, "global", "contended_atomics", "shared", 0.45}));

TEST(Insights, NameTheStageThatShowsTheRemedy) {
  const std::string out = unwrapped(
      cudalab({"transpose", "--rows", "2048", "--cols", "2048", "--device", "virtual", "--color", "never"})
          .out);
  EXPECT_THAT(out, AllOf(HasSubstr("1_naive.cu:22"), HasSubstr("(see tiled)"), HasSubstr("2_tiled.cu:29"),
                         HasSubstr("(see padded)")));
}

TEST(MetricsOption, PrintsCountersUnderTheirNamesInNsightCompute) {
  const std::string name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct";
  const auto found = cudalab({"transpose", "--rows", "64", "--cols", "64", "--stage", "naive", "--device",
                              "virtual", "--metrics", name});
  EXPECT_EQ(found.code, 0);
  EXPECT_THAT(found.out, testing::ContainsRegex(name + " +% +12.50"));
}

TEST(MetricsOption, RefusesAnUnknownNameWithNamesNearIt) {
  const auto refused = cudalab({"transpose", "--metrics", "bank_conflicts"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"));
}

TEST(MetricsOption, HelpListsAllNames) {
  EXPECT_THAT(cudalab({"transpose", "--metrics", "help"}).out,
              AllOf(HasSubstr("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
                    HasSubstr("smsp__inst_executed.sum")));
}

}  // namespace
}  // namespace cudalab::e2e
