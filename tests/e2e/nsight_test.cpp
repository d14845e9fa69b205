// The transpose lab with 1024 x 1024 elements, counted by the virtual GPU and compared with Nsight Compute's
// counters on an H200. The H200's shared wavefronts and conflicts include lost arbitration: a few hundred
// more, never fewer.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;

constexpr double kLostArbitration = 0.05;  // of the wavefronts

Json expected(const std::string& path) { return json_of(kSource / "expected" / path); }

const Json* find_run(const Json& runs, const std::string& name) {
  for (const Json& run : runs)
    if (run["name"] == name) return &run;
  return nullptr;
}

void expect_counts(const std::string& stage, const Json& ours, const Json& card) {
  const double wavefronts = card["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"].get<double>();
  for (const auto& [counter, value] : card.items()) {
    SCOPED_TRACE(stage + ": " + counter);
    ASSERT_TRUE(ours.contains(counter));
    const bool shared = counter.find("_shared_") != std::string::npos;
    EXPECT_LE(ours[counter].get<double>(), value.get<double>());
    EXPECT_GE(ours[counter].get<double>(),
              value.get<double>() - (shared ? kLostArbitration * wavefronts : 0));
  }
}

TEST(Nsight, CountsTheTransposeLabAsTheVirtualGpuDoes) {
  const Json runs = runs_of({"transpose", "--rows", "1024", "--cols", "1024"});
  const Json card = expected("h200/transpose_nsight.json");
  ASSERT_EQ(card["stages"].size(), 5u);
  for (const auto& [stage, counters] : card["stages"].items()) {
    const Json* run = find_run(runs, stage);
    ASSERT_NE(run, nullptr) << stage;
    expect_counts(stage, (*run)["counters"], counters);
  }
}

}  // namespace
}  // namespace cudalab::e2e
