// Tests programs with NVIDIA's runtime. A script replaces Nsight Compute, which needs a GPU.
#include "device/program_on_card.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/processes/interruption.h"

namespace cudalab::device {
namespace {

const DeviceInfo kGpu{.kind = "gpu", .name = "NVIDIA H200", .compute_major = 9};

ProgramRequest request_for(const std::string& script) { return {.words = {"/bin/sh", "-c", script}}; }

// A script named ncu, first in PATH, that runs the command to profile ($15 and on).
class ProgramOnCard : public testing::Test {
 protected:
  void stand_in(const std::string& before) {
    const std::filesystem::path ncu = folder_ / "ncu";
    std::ofstream(ncu) << "#!/bin/sh\n" << before << "shift 14\nexec \"$@\"\n";
    std::filesystem::permissions(ncu, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_.path().string() + ":" + before_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }

 private:
  TemporaryFolder folder_;
  std::string before_ = std::getenv("PATH");
};

TEST_F(ProgramOnCard, ExitsWithTheStatusOfTheProgram) {
  const ProgramOutcome outcome = run_on_card(request_for("exit 3"), kGpu, false);
  EXPECT_EQ(outcome.exit_code, 3);
  ASSERT_EQ(outcome.logs.size(), 1u);
  EXPECT_EQ(outcome.logs[0].device_kind, "gpu");
  EXPECT_EQ(outcome.logs[0].start->card, "NVIDIA H200");
  EXPECT_EQ(outcome.logs[0].start->program, "/bin/sh");
  EXPECT_TRUE(outcome.logs[0].kernels.empty());
}

TEST_F(ProgramOnCard, DoesNotUseOurRuntime) {
  EXPECT_EQ(run_on_card(request_for("test -z \"$LD_PRELOAD$CUDALAB_RECORDS\""), kGpu, false).exit_code, 0);
}

TEST_F(ProgramOnCard, ReportsItsKernelsUnderTheProfiler) {
  stand_in(R"CSV(cat >"$7" <<'END'
"ID","Kernel Name","Block Size","Grid Size","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
"","","","","request"
"0","scale(float *, int)","(256, 1, 1)","(4, 2, 1)","1,024"
"1","add","(32, 1, 1)","(1, 1, 1)","1"
"2","scale(float *, int)","(256, 1, 1)","(4, 2, 1)","1,024"
END
)CSV");
  const ProgramOutcome outcome = run_on_card(request_for("exit 5"), kGpu, true);
  EXPECT_EQ(outcome.exit_code, 5);
  const std::vector<ProgramKernel>& kernels = outcome.logs.at(0).kernels;
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "scale");
  EXPECT_EQ(kernels[0].launches, 2u);
  EXPECT_EQ(kernels[0].spec.grid.y, 2u);
  EXPECT_EQ(kernels[0].spec.block.x, 256u);
  EXPECT_EQ(kernels[0].result.counters->get(Counter::kGlobalLoadRequests), 2048);
}

TEST_F(ProgramOnCard, ReportsWhyNsightComputeRefuses) {
  stand_in("echo '==ERROR== ERR_NVGPUCTRPERM - no permission' >\"$7\"\n");
  const Message said =
      refused([] { run_on_card(request_for("exit 0"), kGpu, true); }, ExitCode::kUnavailable);
  EXPECT_THAT(said, MentionsMessage("advice_allow_counters"));
}

}  // namespace
}  // namespace cudalab::device
