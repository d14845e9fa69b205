// Tests the debug adapter as an editor uses it: each scenario of scenarios.py has its own session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

const std::string kScenarios = (kSource / "tests" / "debug" / "scenarios.py").string();

constexpr const char* kNames[]{"tiled_transposition_by_warp",
                               "race_and_back",
                               "third_launch_of_a_program",
                               "watch_over_lanes",
                               "inspects_types",
                               "stops_in_functions",
                               "stops_at_faults",
                               "pauses_an_endless_loop",
                               "restarts",
                               "ends_and_goes_back",
                               "logs_and_counts",
                               "reads_memory",
                               "disassembles",
                               "changes_variables",
                               "changes_variables_of_callers",
                               "changes_parameters",
                               "changes_what_other_warps_read",
                               "stops_at_data",
                               "watches_a_shuffle_reduction",
                               "steps_by_lane_and_block",
                               "counts_hits_of_functions_and_lines",
                               "survives_100000_hits_a_second",
                               "cancels_requests",
                               "shows_what_the_compiler_left",
                               "counts_lines_from_zero",
                               "outlives_a_client_that_disappears",
                               "measures_first_stop_and_steps",
                               "debugs_a_case_of_an_exercise",
                               "shows_the_states_of_lanes_and_warps",
                               "shows_lanes_that_have_ended_or_wait_at_a_barrier",
                               "shows_inlined_functions",
                               "takes_messages_in_any_order",
                               "answers_whatever_comes",
                               "says_what_is_wrong_with_a_target",
                               "serves_a_port",
                               "hangs_up_on_browsers",
                               "goes_from_launch_to_launch",
                               "goes_to_a_launch_by_number",
                               "stops_at_an_illegal_launch",
                               "stops_at_an_unchecked_error",
                               "inspects_a_lambda_kernel",
                               "measures_first_stop_of_a_built_program",
                               "shows_what_a_program_prints",
                               "attaches_to_a_program",
                               "ends_a_program_that_it_attached_to",
                               "serves_while_a_program_runs"};

class DebugAdapter : public testing::TestWithParam<const char*> {};

TEST_P(DebugAdapter, Serves) {
  if (run_command({"python3", "--version"}).code != 0) GTEST_SKIP() << "python3 is not installed";
  const Outcome outcome = run_command({"python3", kScenarios, CUDALAB_PROGRAM, kSource.string(), GetParam()});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, DebugAdapter, testing::ValuesIn(kNames),
                         [](const auto& each) { return std::string(each.param); });

// Whole sessions: all messages equal those in golden/. `golden.py PROGRAM SOURCE NAME --write` writes a file.
const std::string kGolden = (kSource / "tests" / "debug" / "golden.py").string();

constexpr const char* kSessions[]{"tiled_transposition",
                                  "race_and_step_back",
                                  "condition_in_third_launch",
                                  "watch_of_a_shuffle_reduction",
                                  "structures_and_vectors",
                                  "lambda_kernel",
                                  "misaligned_kernel",
                                  "beyond_kernel",
                                  "unwritten_kernel",
                                  "divergent_kernel",
                                  "illegal_launch_and_unchecked_error",
                                  "pause_of_an_endless_loop",
                                  "change_of_a_variable",
                                  "restart"};

class DebugSessions : public testing::TestWithParam<const char*> {};

TEST_P(DebugSessions, SendTheRecordedMessages) {
  if (run_command({"python3", "--version"}).code != 0) GTEST_SKIP() << "python3 is not installed";
  const Outcome outcome = run_command({"python3", kGolden, CUDALAB_PROGRAM, kSource.string(), GetParam()});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Golden, DebugSessions, testing::ValuesIn(kSessions),
                         [](const auto& each) { return std::string(each.param); });

TEST(DebugAdapterTests, HasATestForEachSession) {
  const Outcome listed = run_command({"python3", kGolden, "-", "-", "--list"});
  if (listed.code != 0) GTEST_SKIP() << "python3 is not installed";
  EXPECT_THAT(words_of(unwrapped(listed.out)), testing::ElementsAreArray(kSessions));
}

TEST(DebugAdapterTests, HasATestForEachScenario) {
  const Outcome listed = run_command({"python3", kScenarios, "-", "-", "--list"});
  if (listed.code != 0) GTEST_SKIP() << "python3 is not installed";
  EXPECT_THAT(words_of(unwrapped(listed.out)), testing::ElementsAreArray(kNames));
}

}  // namespace
}  // namespace cudalab::e2e
