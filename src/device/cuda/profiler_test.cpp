// Tests the parsing of Nsight Compute's output. A script replaces ncu, which needs a GPU.
#include "device/cuda/profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/processes/interruption.h"

namespace cudalab::device {
namespace {

constexpr const char* kCsv =
    "==PROF== Connected to process 7\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
    "\"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct\",\"other\"\n"
    "\"\",\"\",\"\",\"request\",\"%\",\"\"\n"
    "\"0\",\"7\",\"copy(float *, int)\",\"1,048,576\",\"12.50\",\"3\"\n"
    "\"1\",\"7\",\"other\",\"32\",\"n/a\",\"4\"\n";

TEST(NsightCsv, IsReadByColumnNames) {
  const std::vector<Counters> kernels = counters_from_csv(kCsv);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].get(Counter::kGlobalLoadRequests), 1048576);
  EXPECT_EQ(kernels[0].get(Counter::kGlobalLoadBytesPercent), 12.5);
  EXPECT_EQ(kernels[1].get(Counter::kGlobalLoadRequests), 32);
  EXPECT_FALSE(kernels[1].get(Counter::kGlobalLoadBytesPercent)) << "no number stood there";
  EXPECT_FALSE(kernels[0].get(Counter::kGlobalStoreRequests)) << "it has no column";
}

TEST(NsightCsv, WithoutAKernelIsAnError) {
  EXPECT_THROW(counters_from_csv("==PROF== Connected\n==WARNING== No kernels were profiled.\n"), Error);
  EXPECT_THROW(counters_from_csv(""), Error);
}

TEST(NsightCsv, ATruncatedRowKeepsItsCells) {
  const std::string text = "\"ID\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\"\n\"\",\"\"\n\"0\"\n";
  ASSERT_EQ(counters_from_csv(text).size(), 1u);
  EXPECT_FALSE(counters_from_csv(text)[0].get(Counter::kGlobalLoadRequests));
}

// A script named ncu, first in PATH. It receives the log's path ($7) and the command to profile ($15).
class StandIn : public testing::Test {
 protected:
  void write(const std::string& script) {
    const std::filesystem::path ncu = folder_ / "ncu";
    std::ofstream(ncu) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(ncu, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_.path().string() + ":" + before_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }

  Message message() const {
    return refused([&] { profile({"program"}); }, ExitCode::kUnavailable);
  }

 private:
  TemporaryFolder folder_;
  std::string before_ = std::getenv("PATH");
};

TEST_F(StandIn, ReturnsTheCountersOfTheLog) {
  write(std::string("echo chatter; [ \"${15}\" = program ] || exit 9; cat >\"$7\" <<'END'\n") + kCsv +
        "END\n");
  const std::vector<Counters> kernels = profile({"program"});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].get(Counter::kGlobalLoadRequests), 1048576);
}

TEST_F(StandIn, ReportsTheReasonOfARefusal) {
  write("echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1\n");
  EXPECT_THAT(message(), MentionsMessage("advice_allow_counters"));
  write("echo '==ERROR== no such section' >\"$7\"; exit 1\n");
  EXPECT_THAT(message(), testing::AllOf(MentionsMessage("advice_run_without_profile"),
                                        HasArgument("error", "no such section")));
  write("exit 3\n");
  EXPECT_THAT(message(), testing::AllOf(MentionsMessage("profiler_ended_with"), HasArgument("code", 3)));
  write("kill -15 $$\n");
  EXPECT_THAT(message(), testing::AllOf(MentionsMessage("profiler_stopped"), MentionsMessage("child_crashed"),
                                        HasArgument("signal", "Terminated")));
}

}  // namespace
}  // namespace cudalab::device
